// Runs the tests in their own namespaces: with a loopback device only, and with 127.0.0.1 as DNS server.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endWithParent } from "../../cluster/node/isolation.ts";
import { runCommand } from "../../programs/commands.ts";
import { runVitest } from "../../programs/runVitest.ts";

endWithParent();
const folder = await mkdtemp(join(tmpdir(), "faults-"));
try {
  const names = join(folder, "resolv.conf");
  await writeFile(names, "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n");
  await runCommand("mount", ["--bind", names, "/etc/resolv.conf"]);
  await runCommand("ip", ["link", "set", "lo", "up"]);
  process.exitCode = await runVitest(join(import.meta.dirname, "vitest.config.ts"), {});
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exit();
