// `npm run test:copies`: the destinations of copies: real servers, built as Go modules, and other programs that read them.
import { join } from "node:path";
import { findCommand } from "../programs/commands.ts";
import { prepareDebianPackages } from "../programs/debianPackages.ts";
import { prepareCosign, prepareCrane, prepareRegistry, prepareVersitygw } from "../programs/goPrograms.ts";
import { runVitest } from "../programs/runVitest.ts";

const say = (what: string) => console.log(`test:copies: ${what}`);
const isRoot = process.platform === "linux" && process.getuid?.() === 0;
// other users have it on PATH, or an error says that it is missing
if (isRoot && findCommand("skopeo") === undefined) await prepareDebianPackages(say, { skopeo: "skopeo" });
process.exitCode = await runVitest(join(import.meta.dirname, "vitest.config.ts"), {
  REGISTRY: await prepareRegistry(say),
  CRANE: await prepareCrane(say),
  VERSITYGW: await prepareVersitygw(say),
  COSIGN: await prepareCosign(join(import.meta.dirname, "cosign"), say),
});
