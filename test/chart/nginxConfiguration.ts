import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findCommand } from "../programs/commands.ts";
import { manifestsIn, mountConfiguration } from "./renderedChart.ts";

/** What `nginx -t` said of a configuration: each is read once. */
const known = new Map<string, string[]>();

/** What nginx would refuse in the configuration of these manifests. */
export function nginxProblems(manifests: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), "nginx-conf-"));
  try {
    mountConfiguration(manifestsIn(manifests), folder);
    const file = join(folder, "nginx.conf");
    const conf = readFileSync(file, "utf8");
    let problems = known.get(conf);
    if (problems === undefined) {
      problems = judge(folder, file, conf);
      known.set(conf, problems);
    }
    return problems;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function judge(folder: string, file: string, conf: string): string[] {
  // what serve.sh writes
  const written = {
    listen: "listen 127.0.0.1:8080;",
    compressed: "",
    other_pods: "",
    content_id: 'set $content_id "";',
  };
  for (const [name, text] of Object.entries(written)) writeFileSync(join(folder, `${name}.conf`), text);
  const user = process.getuid?.() === 0 ? "user root;\n" : "";
  writeFileSync(file, user + conf.replaceAll(/(?<=\s)\/tmp\//g, `${folder}/`));
  try {
    const args = ["-t", "-q", "-e", "stderr", "-c", file];
    execFileSync(findCommand("nginx") ?? "", args, { stdio: ["ignore", "ignore", "pipe"] });
    return [];
  } catch (error) {
    return [`nginx: ${String((error as { stderr?: unknown }).stderr)}`];
  }
}
