// `npm run test:copies`: the places where copies are kept: real servers, built as Go modules, and what others read there.
import { join } from "node:path";
import { findCommand } from "../programs/commands.ts";
import { prepareDebianPackages } from "../programs/debianPackages.ts";
import { prepareCrane, prepareRegistry, prepareVersitygw } from "../programs/goPrograms.ts";
import { runVitest } from "../programs/runVitest.ts";

const say = (what: string) => console.log(`test:copies: ${what}`);
const isRoot = process.platform === "linux" && process.getuid?.() === 0;
// anybody else has it on PATH, or is told that it is missing
if (isRoot && findCommand("skopeo") === undefined) await prepareDebianPackages(say, { skopeo: "skopeo" });
process.exitCode = await runVitest(join(import.meta.dirname, "vitest.config.ts"), {
  REGISTRY: await prepareRegistry(say),
  CRANE: await prepareCrane(say),
  VERSITYGW: await prepareVersitygw(say),
});
