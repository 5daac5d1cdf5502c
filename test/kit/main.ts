// `npm run test:kit`: what an operator does with a kit, with the kit's own scripts: checks it, loads its images, installs.
import { join } from "node:path";
import { findCommand } from "../programs/commands.ts";
import { prepareDebianPackages } from "../programs/debianPackages.ts";
import { prepareCrane, prepareRegistry } from "../programs/goPrograms.ts";
import { runVitest } from "../programs/runVitest.ts";

const NEEDED = ["busybox", "curl", "dash", "openssl", "skopeo"];

const say = (what: string) => console.log(`test:kit: ${what}`);
const isRoot = process.platform === "linux" && process.getuid?.() === 0;
// anybody else has them on PATH, or is told which is missing
if (isRoot && NEEDED.some((program) => findCommand(program) === undefined)) {
  await prepareDebianPackages(say, { skopeo: "skopeo" });
}
process.exitCode = await runVitest(join(import.meta.dirname, "vitest.config.ts"), {
  REGISTRY: await prepareRegistry(say),
  CRANE: await prepareCrane(say),
});
