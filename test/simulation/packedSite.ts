import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "tar";
import { systemClock } from "../../provider/base/runtime/time/clock.ts";
import type { PublicationContext } from "../../provider/copies/publication/context.ts";
import { testContext } from "./testContext.ts";

/** Packs a site from the folder `site-NAME`, the same bytes each time. @returns its archive `NAME.tar.gz`, as fields of a source */
export function packedSite(
  folder: string,
  name: string,
  files: Readonly<Record<string, string>>,
): { file: string; fileSha256: string } {
  const cwd = join(folder, `site-${name}`);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(cwd, path, ".."), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  const file = join(folder, `${name}.tar.gz`);
  create({ file, cwd, gzip: true, portable: true, noMtime: true, sync: true }, readdirSync(cwd));
  return { file, fileSha256: createHash("sha256").update(readFileSync(file)).digest("hex") };
}

/** The context of a publication on this machine alone, with Pulumi's home in a folder of the test. */
export function localContext(folder: string, given: Partial<PublicationContext> = {}): PublicationContext {
  return testContext({
    fetch: () => Promise.reject(new Error("no request is expected")),
    clock: systemClock,
    configuration: {
      environment: (name) => (name === "PULUMI_HOME" ? join(folder, "home") : undefined),
      stackConfig: () => undefined,
    },
    ...given,
  });
}
