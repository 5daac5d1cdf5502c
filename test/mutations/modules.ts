// The modules that are broken one by one, and the tests that judge them: a module is a folder, and the folder of the same name in
// test/unit judges it. Tests that start processes or wait for real time are left out: a module is judged in minutes.
import { globSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** Tests of other folders that also judge a module: paths from `test/` on, without their ending. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  adapters: ["unit/sdk/handler"],
  sdk: ["unit/sdk/kubernetes/releaseFailureHook"],
  staticExport: [...faults("expiry", "jobStates", "links", "jobIds", "inputs")],
  "copies/bundleCopy": ["unit/copies/publication/*"],
  "kits/airGapKit": ["unit/copies/publication/*"],
  "publishing/images/signing": ["unit/copies/bundleCopy/*", "unit/publishing/images/provenance/*"],
  "publishing/images/layout": ["unit/kits/contents/siteSignature", "unit/publishing/images/provenance/*"],
  installation: ["unit/sdk/kubernetes/*", "unit/adapters/plugin/*"],
  resource: [...faults("inputs"), "unit/staticExport/*", "unit/agentJob/*"],
  "publishing/search": ["unit/publishing/offlineSearch/*"],
  "publishing/sitePages": ["unit/publishing/offlineSearch/*", "unit/publishing/llmsTxt/*"],
  "publishing/offlineSearch": ["unit/copies/bundleCopy/offlineSearch"],
  "publishing/externalAssets": ["unit/copies/bundleCopy/fetchExternal"],
  "copies/source": ["unit/copies/bundleCopy/*", "unit/kits/airGapKit/*"],
  "copies/publication": ["unit/copies/bundleCopy/*", "unit/kits/airGapKit/*"],
  service: [
    ...faults("expiry", "jobStates", "links", "jobIds", "inputs"),
    "unit/staticExport/create",
    "unit/staticExport/interrupted",
  ],
  "publishing/destinations": [
    "unit/copies/bundleCopy/inputs",
    "unit/copies/bundleCopy/plan",
    "unit/copies/bundleCopy/importBucket",
    "unit/copies/bundleCopy/importFolder",
  ],
  "publishing/images/registry": ["unit/publishing/images/siteImage/siteImage"],
  "kits/contents": ["unit/kits/airGapKit/*"],
  "publishing/download": faults("download*", "storeAddresses"),
  "base/http": [
    ...["unit/publishing/download/storeAddress", "unit/service/*", "unit/staticExport/create"],
    ...faults("answers", "bodies", "network", "networkTls", "networkProxy", "jobStates"),
  ],
};

/** A part of the code that is judged as a whole. */
export interface Module {
  /** Paths from the root of the repository. */
  readonly files: readonly string[];
  /** Patterns of tests, from `test/` on, without their ending. */
  readonly tests: readonly string[];
}

/**
 * Modules that are not judged with all others, because running their tests for every break takes hours: real sockets, stores and
 * registries judge them (`test/faults/download*.test.ts`, `test/copies`, `test/kills`), and real packers. `npm test -- mutations
 * publishing/archives` judges one of them.
 */
export const JUDGED_BY_NAME_ONLY: ReadonlySet<string> = new Set([
  "publishing/destinations",
  "publishing/download",
  "doctor",
  "publishing/images/registry",
  "kits/contents",
  "publishing/archives",
  "publishing/inspection",
]);

/** Programs of pages. Tests in a browser judge them, on the files that the build made (`test/foreignSites`). */
export const RUN_BY_BROWSERS: ReadonlySet<string> = new Set([
  "provider/publishing/search/browser/box.ts",
  "provider/publishing/search/browser/load.ts",
]);

/** The part of a module that each of its requests passes, so that all its tests would judge each break: it has its own tests. */
const APART: Readonly<Record<string, Module>> = {
  "base/http/pacer": {
    files: ["provider/base/http/pacer.ts"],
    tests: ["unit/base/http/pacer", "unit/adapters/session/session"],
  },
};

/** The modules by the name of their folder: those of `provider/`, then `sdk` and `sdk/kubernetes`, then separate parts. */
export const MODULES: ReadonlyMap<string, Module> = new Map([
  ...[...foldersIn("provider"), "sdk", "sdk/kubernetes"].map((folder): [string, Module] => {
    const name = folder.replace(/^provider\//, "");
    // a module of provider/ may have folders of its own; one of sdk/ is a module itself
    const below = folder.startsWith("provider") ? "**/*" : "*";
    const apart = new Set([...RUN_BY_BROWSERS, ...Object.values(APART).flatMap((part) => part.files)]);
    const files = globSync(`${folder}/${below}.ts`, { cwd: ROOT }).filter((file) => !apart.has(file));
    return [name, { files: files.sort(), tests: [`unit/${name}/${below}`, ...(ALSO[name] ?? [])] }];
  }),
  ...Object.entries(APART),
]);

function faults(...names: string[]): string[] {
  return names.map((name) => `faults/${name}`);
}

/** The folders of `provider/`, and instead of an area's folder those of its modules. */
function foldersIn(folder: string): string[] {
  return globSync(`${folder}/*/`, { cwd: ROOT })
    .map((path) => path.replace(/[\\/]$/, ""))
    .flatMap((path) => (globSync(`${path}/*.ts`, { cwd: ROOT }).length > 0 ? [path] : modulesOf(path)))
    .sort();
}

function modulesOf(area: string): string[] {
  return area === "provider/adapters" ? [area] : foldersIn(area);
}
