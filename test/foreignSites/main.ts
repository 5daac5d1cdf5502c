// `npm test -- foreign-sites`: exports of other generators, hosted in every way and read in a browser.
import { delimiter, join } from "node:path";
import { prepareDebianPackages } from "../programs/debianPackages.ts";
import {
  prepareCrane,
  prepareHelm,
  prepareRegistry,
  prepareValidation,
  prepareVersitygw,
} from "../programs/goPrograms.ts";
import { runVitest } from "../programs/runVitest.ts";
import { IS_SHORT } from "../suites.ts";
import { buildableSites, buildSite, SITE_NAMES } from "./builtSite.ts";

const say = (what: string) => console.log(`foreign-sites: ${what}`);
const isRoot = process.platform === "linux" && process.getuid?.() === 0;
const path = [process.env["PATH"] ?? ""];
if (isRoot) path.push(...(await prepareDebianPackages(say, { doxygen: "doxygen" })).commandFolders);
const buildable = IS_SHORT ? SITE_NAMES.slice(0, 1) : buildableSites();
const left = SITE_NAMES.filter((site) => !buildable.includes(site));
if (left.length > 0 && !IS_SHORT) say(`skipped, for lack of a command that builds them: ${left.join(", ")}`);
for (const site of buildable) await buildSite(site, say); // here, where it is logged, and not in a test's time
process.exitCode = await runVitest(join(import.meta.dirname, "vitest.config.ts"), {
  PATH: path.join(delimiter),
  HELM: await prepareHelm(say),
  VALIDATION: await prepareValidation(join(import.meta.dirname, "../chart/validation"), say),
  REGISTRY: await prepareRegistry(say),
  CRANE: await prepareCrane(say),
  VERSITYGW: await prepareVersitygw(say),
});
