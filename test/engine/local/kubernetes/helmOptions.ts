// The inputs of a Release as options of the `helm` command.
import type { ReleaseFields } from "./releaseFields.ts";

const defaultTimeoutSeconds = 300;

export const installOptions = (release: ReleaseFields): string[] => [
  ...makingOptions(release),
  ...setFlags({
    "no-hooks": release.disableWebhooks,
    "skip-crds": release.skipCrds,
    "disable-openapi-validation": release.disableOpenapiValidation,
    "create-namespace": release.createNamespace,
  }),
];

export const upgradeOptions = (release: ReleaseFields): string[] => [
  ...makingOptions(release),
  ...["--history-max", String(release.maxHistory ?? 0)], // 0 is «for ever»; the command's own default is 10
  ...setFlags({
    "no-hooks": release.disableCRDHooks,
    force: release.forceUpdate,
    "reset-values": release.resetValues,
    "reuse-values": release.reuseValues,
    "cleanup-on-fail": release.cleanupOnFail,
  }),
];

const setFlags = (flags: Record<string, boolean>): string[] =>
  Object.keys(flags)
    .filter((name) => flags[name])
    .map((name) => `--${name}`);

export const timeoutOption = ({ timeout }: ReleaseFields): string[] => [
  "--timeout",
  `${timeout || defaultTimeoutSeconds}s`,
];

/** What install and upgrade have in common. */
const makingOptions = (release: ReleaseFields): string[] => [
  ...["--output", "json", ...timeoutOption(release)],
  ...(release.description ? ["--description", release.description] : []),
  ...setFlags({
    wait: !release.skipAwait,
    "wait-for-jobs": !release.skipAwait && release.waitForJobs,
    atomic: release.atomic,
    "render-subchart-notes": release.renderSubchartNotes,
  }),
];
