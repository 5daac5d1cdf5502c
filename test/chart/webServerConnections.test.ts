import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, type TestContext } from "vitest";
import { runCommand } from "../programs/commands.ts";

const SCRIPT = join(import.meta.dirname, "../../examples/self-hosted/chart/files/serve.sh");

/** The connection settings that serve.sh writes for an nginx with this version text. */
async function connectionsOf(version: string, context: TestContext): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "nginx-version-"));
  context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const programs = join(folder, "bin");
  mkdirSync(programs);
  writeFileSync(join(programs, "nginx"), `#!/bin/sh\n[ "$1" != -v ] || echo '${version}' >&2\n`);
  chmodSync(join(programs, "nginx"), 0o755);
  await runCommand("sh", [SCRIPT], {
    env: {
      PATH: `${programs}:${process.env["PATH"] ?? ""}`,
      SITE_FOLDER: join(folder, "site"),
      SCRATCH_FOLDER: folder,
      IPV6_TABLE: join(folder, "none"),
    },
  });
  return readFileSync(join(folder, "listen.conf"), "utf8");
}

const LISTENS = "listen 8080;\n";

test.for([
  "nginx version: nginx/1.27.4",
  "nginx version: nginx/1.27.12",
  "nginx version: nginx/1.28.0 (Ubuntu)",
  "nginx version: nginx/1.30.4",
  "nginx version: nginx/2.0.0",
  "nginx version: nginx/10.1.0",
])("%s waits for a running request when it ends", async (version, context) => {
  expect(await connectionsOf(version, context)).toBe(`${LISTENS}keepalive_min_timeout 5s;\n`);
});

test.for([
  "nginx version: nginx/0.8.54",
  "nginx version: nginx/1.9.15",
  "nginx version: nginx/1.18.0",
  "nginx version: nginx/1.22.1",
  "nginx version: nginx/1.27.3",
  "nginx version: openresty/1.27.1.2",
  "nginx version: freenginx/1.29.0",
  "Tengine version: Tengine/3.1.0",
])("%s does not know how to, and still starts", async (version, context) => {
  expect(await connectionsOf(version, context)).toBe(LISTENS);
});
