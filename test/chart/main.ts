// `npm test -- chart`: the example's chart without a cluster: rendered by Helm, its script and its nginx run here.
import { delimiter, join } from "node:path";
import { prepareDebianPackages } from "../programs/debianPackages.ts";
import { prepareHelm, prepareValidation } from "../programs/goPrograms.ts";
import { runVitest } from "../programs/runVitest.ts";

const say = (what: string) => console.log(`chart: ${what}`);
const isRoot = process.platform === "linux" && process.getuid?.() === 0;
const path = [process.env["PATH"] ?? ""];
// other users have them on PATH, or an error names the missing ones
if (isRoot) path.push(...(await prepareDebianPackages(say)).commandFolders);
process.exitCode = await runVitest(join(import.meta.dirname, "vitest.config.ts"), {
  PATH: path.join(delimiter),
  HELM: await prepareHelm(say),
  VALIDATION: await prepareValidation(join(import.meta.dirname, "validation"), say),
});
