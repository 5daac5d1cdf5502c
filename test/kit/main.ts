// `npm test -- kit`: an operator's work with a kit, with the kit's own scripts: checks it, loads its images, installs.
import { join } from "node:path";
import { findCommand } from "../programs/commands.ts";
import { prepareDebianPackages } from "../programs/debianPackages.ts";
import { prepareCosign, prepareCrane, prepareOras, prepareRegistry } from "../programs/goPrograms.ts";
import { runVitest } from "../programs/runVitest.ts";

const NEEDED = ["bash", "busybox", "curl", "dash", "openssl", "skopeo"];

const say = (what: string) => console.log(`kit: ${what}`);
const isRoot = process.platform === "linux" && process.getuid?.() === 0;
// other users have them on PATH, or an error names the missing ones
if (isRoot && NEEDED.some((program) => findCommand(program) === undefined)) {
  await prepareDebianPackages(say, { skopeo: "skopeo", bash: "bash" });
}
process.exitCode = await runVitest(join(import.meta.dirname, "vitest.config.ts"), {
  REGISTRY: await prepareRegistry(say),
  CRANE: await prepareCrane(say),
  ORAS_1_1: await prepareOras("1.1", say),
  ORAS_1_2: await prepareOras("1.2", say),
  COSIGN: await prepareCosign(join(import.meta.dirname, "../copies/cosign"), say),
});
