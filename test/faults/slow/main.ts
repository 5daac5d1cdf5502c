// `npm test -- faults`: as root in a separate network.
import { join } from "node:path";
import { runIsolated } from "../../cluster/node/isolation.ts";
import { findCommand } from "../../programs/commands.ts";
import { runVitest } from "../../programs/runVitest.ts";

const isRoot = process.platform === "linux" && process.getuid?.() === 0;
const hasCommands = ["ip", "iptables", "ip6tables", "mount", "unshare"].every((name) => findCommand(name));
process.exitCode =
  isRoot && hasCommands
    ? await runIsolated(join(import.meta.dirname, "isolated.ts"), process.argv.slice(2), {
        ...process.env,
        OWN_NETWORK: "true",
      })
    : await runVitest(join(import.meta.dirname, "vitest.config.ts"), {});
