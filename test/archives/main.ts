// `npm test -- archives`: the archive of the native plugin for this machine, without Node.js, and where `pulumi` is on PATH with it.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { runVitest } from "../programs/runVitest.ts";
import { thisMachine } from "./thisMachine.ts";

const ROOT = join(import.meta.dirname, "../..");

const { target, archive } = thisMachine();
console.log(`archives: the archive for ${target} is written`);
execFileSync(process.execPath, [".ci/archives.mjs", "--target", target], { cwd: ROOT, stdio: "inherit" });
process.exitCode = await runVitest(join(import.meta.dirname, "vitest.config.ts"), { ARCHIVE: archive });
