/** A set of tests that one command runs: `npm test -- NAME`. */
export interface Suite {
  readonly what: string;
  /** The program that prepares and runs it, or a configuration of vitest; from this folder. */
  readonly run: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What runs unless the command names files, from this folder. Default: all that the configuration includes. */
  readonly files?: readonly string[];
  /** What `--short` runs: at least one test of each kind, in minutes, for `.ci/run`. Default: everything. */
  readonly short?: readonly string[];
}

const filesIn = (folder: string, ...names: readonly string[]): string[] =>
  names.map((name) => `${folder}/${name}.test.ts`);

export const SUITES: Readonly<Record<string, Suite>> = {
  unit: {
    what: "everything that needs neither root nor other programs; the default",
    run: "vitest.config.ts",
  },
  stacks: {
    what: "long stacks, and tests of stacks that measure time, with the dynamic adapter",
    run: "vitest.config.ts",
    env: { STACKS: "all" },
    files: ["stack/long/", "stack/timed/"],
    short: [
      ...filesIn("stack/long", "lifeCycle", "renewal", "bundleCopy", "importing"),
      ...filesIn("stack/long", "adoption", "pullRequestPreview"),
      "stack/timed/",
    ],
  },
  native: {
    what: "all stacks with the native adapter",
    run: "vitest.config.ts",
    env: { ADAPTER: "native" },
    files: ["stack/"],
    short: [
      ...filesIn("stack", "create", "links", "refusals", "secrets", "lookup"),
      ...filesIn("stack/long", "lifeCycle", "agentJobs", "bundleCopy"),
    ],
  },
  cli: { what: "all stacks on the real Pulumi CLI", run: "stack/main.ts" },
  engine: {
    what: "the test engine, and how Pulumi's own behaves",
    run: "engine/vitest.config.ts",
    short: filesIn("engine", "refusals", "command"),
  },
  histories: {
    what: "random histories of resources: exports, and copies at shared places",
    run: "vitest.config.ts",
    env: { PUBLICATIONS: "all" },
    files: ["histories/"],
    short: ["histories/publications/"],
  },
  package: {
    what: "the packed package, as package managers install it, and states of earlier releases",
    run: "package/vitest.config.ts",
    short: filesIn(
      "package",
      ...["package", "plugin", "examples", "doctor", "documents", "earlierReleases", "pack"],
    ),
  },
  archives: { what: "the archive of the native plugin for this machine", run: "archives/main.ts" },
  kills: {
    what: "many runs that are killed at random times",
    run: "kills/vitest.config.ts",
    short: filesIn("kills", "kills", "sites"),
  },
  faults: {
    what: "a faulty network, full disks and memory, as root in a network of its own",
    run: "faults/slow/main.ts",
    short: filesIn("faults/slow", "ownNetwork", "memory", "disk", "searchOnFullDisk"),
  },
  mutations: { what: "which changes of the code no test notices", run: "mutations/main.ts" },
  chart: {
    what: "the chart without a cluster",
    run: "chart/main.ts",
    short: [
      ...filesIn("chart", "values", "manifests", "pods", "names", "product", "dependency", "kitValues"),
      ...filesIn("chart", "fetchDownload", "fetchZip", "webServer", "webServerSites", "siteImagePods"),
      ...filesIn("chart", "fleetStacks"),
    ],
  },
  "foreign-sites": {
    what: "sites of other generators in a browser, hosted in every way",
    run: "foreignSites/main.ts",
    short: filesIn("foreignSites", "foreignSites", "exportedTheme"),
  },
  "site-versions": {
    what: "two versions of sites of other generators: what is immutable does not change",
    run: "foreignSites/versions.config.ts",
  },
  "tab-sites": {
    what: "tabs and accordions of other generators: the search finds every text, and its section",
    run: "foreignSites/tabSites.config.ts",
  },
  "llms-sites": {
    what: "sites of twelve generators and more: their Markdown, beside that of the generators' own plugins",
    run: "foreignSites/llmsMain.ts",
  },
  cluster: {
    what: "chart, example and SelfHostedDocs on a Kubernetes cluster",
    run: "cluster/main.ts",
    short: filesIn("cluster", "chartAlone", "browser", "rollOut", "brokenArchives"),
  },
  copies: {
    what: "copies in real registries and buckets",
    run: "copies/main.ts",
    short: filesIn(
      "copies",
      ...[
        "repository",
        "bucketSite",
        "bucketRules",
        "signedImages",
        "kitImages",
        "registryLogin",
        "bucketKills",
      ],
    ),
  },
  kit: {
    what: "an operator's steps with a kit",
    run: "kit/main.ts",
    short: filesIn(
      "kit",
      ...["readme", "operatorScripts", "sameRules", "verifySignature", "install", "loadChoice", "transfer"],
    ),
  },
  workflows: { what: "the workflows of .github/ and of the examples", run: "workflows/main.ts" },
  pictures: { what: "draws the pictures of the documentation", run: "pictures/main.ts" },
};

/** Whether only the short part of a suite runs: one of several equal cases is enough then. */
export const IS_SHORT = process.env["SHORT"] === "true";

/** All cases, or the first ones in the short part of a suite. */
export function shortened<T>(all: readonly T[], count = 1): T[] {
  return IS_SHORT ? all.slice(0, count) : [...all];
}
