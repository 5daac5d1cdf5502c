import {
  type BucketFields,
  BucketPlace,
  cancelUpload,
  checkDestination,
  DESTINATION_KINDS,
  type DestinationContext,
  type DestinationKind,
  findManifest,
  forItsKind,
  newOwner,
  type ObjectStore,
  openAzure,
  openGcs,
  openS3,
  parseBase,
  parseRepository,
  RECORDS_FOLDER,
  RegistryClient,
  type RepositoryInputs,
  repositoryName,
  sendText,
} from "../publishing/index";
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { DeadlineExceededError, InputError, InternalError } from "../base/runtime/messages/errors";
import { folderFailures } from "../copies/publication/localFailures";
import { startDeadline } from "../base/runtime/time/clock";
import { failure, failureOf, type Finding, ok, silent, warning } from "./finding";
import { folderFinding } from "./folders";
import type { Examination } from "./host";
import type { Options } from "./options";

/** Time limit of the requests to a registry, in milliseconds. */
const REQUESTS_LIMIT_MS = 10_000;
/** Time limit of all checks of one destination, in milliseconds: a request is repeated for up to half a minute. */
const CHECK_LIMIT_MS = 20_000;
/** A digest that no image has. */
const NO_DIGEST = `sha256:${"0".repeat(64)}`;

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
    const context: DestinationContext = {
      fetch,
      clock,
      environment,
      secrets,
      reporter: { ...silent, warn },
      signal: limit.signal,
      deadline: startDeadline(clock, REQUESTS_LIMIT_MS),
      scratch: () => Promise.reject(new InternalError("a check needs no scratch folder", "")),
      owner: newOwner(undefined),
    };
    const checked = checkDestination(given);
    if ("problem" in checked)
      throw new InputError(`${checked.at ?? check} ${checked.problem}`, "Correct the option of that name.");
    const steps = forItsKind<Iterable<Finding> | AsyncIterable<Finding>>(checked.value, {
      folder: ({ folder }) => [localFolder(folder, options)],
      bucket: (inputs) => storeSteps(openS3(inputs, context), inputs, options, context),
      azureContainer: (inputs) => storeSteps(openAzure(inputs, context), inputs, options, context),
      gcsBucket: (inputs) => storeSteps(openGcs(inputs, context), inputs, options, context),
      repository: (inputs) => registrySteps(inputs, options, context),
    });
    for await (const finding of steps) findings.push(finding);
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

/** Object storage is checked by the requests that copies need. */
async function* storeSteps(
  opening: Promise<ObjectStore>,
  fields: BucketFields,
  { write }: Options,
  context: DestinationContext,
): AsyncIterable<Finding> {
  const store = await opening;
  try {
    const place = new BucketPlace(store, fields, context);
    await store.list(place.key(""), () => undefined, 1);
    yield ok("bucket", `${place.uri} can be read`);
    if (!write) return;
    const key = place.key(`${RECORDS_FOLDER}/doctor-${randomUUID()}`);
    await sendText(place, key, "doctor", { contentType: "text/plain", cacheControl: "no-store" });
    await store.remove([key]);
    yield ok("bucket", `${place.uri} can be written: an object was written and deleted`);
  } finally {
    store.close();
  }
}

async function* registrySteps(
  { repository, base, plainHttp }: RepositoryInputs,
  { write, "signing-key-env": signingKey }: Options,
  context: DestinationContext,
): AsyncIterable<Finding> {
  const place = parseRepository(repository);
  const name = repositoryName(place);
  const client = new RegistryClient(place, context, { actions: "pull", plainHttp });
  const latest = await findManifest(client, "latest");
  yield ok("registry", `${name} can be read${latest === undefined ? "; it has no tag latest" : ""}`);

  if (base !== undefined) {
    const image = parseBase(base);
    const isPlain = image.host === place.host && plainHttp === true;
    const reading = new RegistryClient(image, context, { actions: "pull", plainHttp: isPlain });
    const found = await findManifest(reading, image.digest ?? image.tag ?? "latest");
    yield found === undefined
      ? failure(
          "base",
          `there is no image ${base}`,
          "Correct --base and the destination's `base`, or push that image.",
        )
      : ok("base", `${base} is ${found}`);
  }
  if (signingKey !== undefined) yield await referrersFinding(client, place.host);
  if (!write) return;
  const writing = new RegistryClient(place, context, { actions: "pull,push", plainHttp });
  const to = await writing.url(`${writing.path("blobs", "uploads")}/`);
  const upload = await writing.send({ method: "POST", to, accepted: [202] }, ({ headers }) =>
    writing.located(headers.get("location"), to),
  );
  await cancelUpload(writing, upload);
  yield ok("registry", `${name} can be written: an upload was begun and cancelled`);
}

/** Whether the registry lists what refers to an image, such as signatures, see «Listing Referrers» in the distribution specification. */
async function referrersFinding(client: RegistryClient, host: string): Promise<Finding> {
  const status = await client.send(
    { method: "GET", to: client.path("referrers", NO_DIGEST), accepted: [200, 400, 404, 405] },
    (reply) => Promise.resolve(reply.status),
  );
  if (status === 200) return ok("referrers", `${host} lists the referrers of an image`);
  return warning(
    "referrers",
    `${host} has no API for the referrers of an image (it answered ${status})`,
    "Signatures, statements and SBOMs are found by their tags instead. Programs that use only the API need another registry, or a newer version of this one.",
  );
}
