import { resolve } from "node:path";
import { DeadlineExceededError, InputError } from "../base/runtime/messages/errors";
import { startDeadline } from "../base/runtime/time/clock";
import { folderFailures } from "../copies/publication/localFailures";
import {
  type AccessFinding,
  checkDestination,
  DESTINATION_KINDS,
  type DestinationKind,
  tryAccess,
} from "../publishing/index";
import { failure, failureOf, type Finding, ok, silent, warning } from "./finding";
import { folderFinding } from "./folders";
import type { Examination } from "./host";
import type { Options } from "./options";

/** Time limit of the requests to a registry, in milliseconds. */
const REQUESTS_LIMIT_MS = 10_000;
/** Time limit of all checks of one destination, in milliseconds: a request is repeated for up to half a minute. */
const CHECK_LIMIT_MS = 20_000;
/** The check that has the findings of each kind of destination. */
const CHECKS: Readonly<Record<DestinationKind, string>> = {
  folder: "folder",
  bucket: "bucket",
  azureContainer: "bucket",
  gcsBucket: "bucket",
  repository: "registry",
};

/** Reads the destinations that the options name. With `--write`, it also writes something small, and removes it. */
export async function checkDestinations(examination: Examination): Promise<Finding[]> {
  const given = fieldsIn(examination.options);
  const kinds = (Object.keys(CHECKS) as DestinationKind[]).filter((kind) => given[kind] !== undefined);
  const findings = kinds.map((kind) => {
    const fields = Object.keys(DESTINATION_KINDS[kind]).map((field) => [field, given[field]]);
    return destinationFindings(CHECKS[kind], Object.fromEntries(fields), examination);
  });
  return (await Promise.all(findings)).flat();
}

/** What the options say, by the fields of destinations: --kms-key-id is `kmsKeyId`. */
function fieldsIn(options: Options): Readonly<Record<string, unknown>> {
  const { folder, "path-style": pathStyle } = options;
  const fields = Object.entries(options).map(([option, value]) => [
    option.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return {
    ...(Object.fromEntries(fields) as object),
    ...(folder !== undefined && { folder: resolve(folder) }),
    pathStyle: pathStyle === "true" || pathStyle === "false" ? pathStyle === "true" : pathStyle,
  };
}

/** The findings at one destination. A failure ends its checks. */
async function destinationFindings(
  check: string,
  given: unknown,
  { options, host: { fetch, clock, environment }, secrets }: Examination,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const limit = new AbortController();
  const late = new DeadlineExceededError(
    "there was no complete answer within 20 s",
    "Check the network to this destination, and that it is up.",
  );
  const stop = clock.after(CHECK_LIMIT_MS, () => limit.abort(late));
  const warn = (line: string): void =>
    void findings.push(warning(check, line, "Correct it, or ignore it if it is intended."));
  try {
    const checked = checkDestination(given);
    if ("problem" in checked) {
      throw new InputError(`${checked.at ?? check} ${checked.problem}`, "Correct the option of that name.");
    }
    if ("folder" in checked.value) findings.push(localFolder(checked.value.folder, options));
    const context = {
      fetch,
      clock,
      environment,
      secrets,
      reporter: { ...silent, warn },
      signal: limit.signal,
      deadline: startDeadline(clock, REQUESTS_LIMIT_MS),
    };
    const trial = { write: options.write, signed: options["signing-key-env"] !== undefined };
    for await (const found of tryAccess(checked.value, trial, context)) findings.push(findingOf(found));
  } catch (error) {
    findings.push(failureOf(check, error));
  } finally {
    stop();
  }
  return findings;
}

function localFolder(path: string, { write }: Options): Finding {
  if (write) return folderFinding("folder", path);
  const [problem] = folderFailures("folder", path);
  const remedy = "Give the user that runs `pulumi up` the right to write there.";
  return problem
    ? failure("folder", `${path} ${problem.reason}`, remedy)
    : ok("folder", `${path} is a folder that this user may write, or can be made`);
}

function findingOf({ about, level, text, remedy }: AccessFinding): Finding {
  if (level === "ok") return ok(about, text);
  return level === "warning" ? warning(about, text, remedy) : failure(about, text, remedy);
}
