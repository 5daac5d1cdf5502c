import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import type { DestinationContext } from "../copies/destinations/destination";
import { checkDestination, type DestinationKind } from "../copies/destinations/inputs";
import { BucketPlace } from "../copies/destinations/objectStore/bucketPlace";
import { RECORDS_FOLDER } from "../copies/destinations/objectStore/inputs";
import type { ObjectStore } from "../copies/destinations/objectStore/objectStore";
import { sendText } from "../copies/destinations/objectStore/sendObject";
import { openAzure } from "../copies/destinations/objectStore/azure/azureStore";
import { openGcs } from "../copies/destinations/objectStore/gcs/gcsStore";
import { openS3 } from "../copies/destinations/objectStore/s3/s3Store";
import type { RepositoryInputs } from "../copies/destinations/repository/inputs";
import { newOwner } from "../copies/ownership/owner";
import { DeadlineExceededError, InternalError } from "../runtime/messages/errors";
import type { Secrets } from "../runtime/messages/secrets";
import { folderFailures } from "../copies/publication/localFailures";
import { findManifest } from "../images/registry/manifests";
import { parseBase, parseRepository, repositoryName } from "../images/registry/reference";
import { RegistryClient } from "../images/registry/client";
import { cancelUpload } from "../images/registry/upload";
import { startDeadline } from "../runtime/time/clock";
import { failure, failureOf, type Finding, findingOf, ok, silent, warning } from "./finding";
import { folderFinding } from "./folders";
import type { DoctorHost } from "./host";
import type { Options } from "./options";

/** Time limit of the requests to a registry, in milliseconds. */
const REQUESTS_LIMIT_MS = 10_000;
/** Time limit of all checks of one destination, in milliseconds: a request is repeated for up to half a minute. */
const CHECK_LIMIT_MS = 20_000;
/** A digest that no image has. */
const NO_DIGEST = `sha256:${"0".repeat(64)}`;

/** The checks of a destination, if the options name one of its kind. */
type DestinationChecks = (
  options: Options,
  host: DoctorHost,
  secrets: Secrets,
) => undefined | Promise<Finding[]>;

const CHECKS: Readonly<Record<DestinationKind, DestinationChecks>> = {
  folder: (options) =>
    options.folder === undefined
      ? undefined
      : Promise.resolve([findingOf("folder", () => localFolder(options.folder ?? "", options))]),
  bucket(options, host, secrets) {
    const { bucket, prefix, endpoint, region, encryption } = options;
    if (bucket === undefined) return undefined;
    const style = options["path-style"];
    const given = {
      ...{ bucket, prefix, endpoint, region, encryption, kmsKeyId: options["kms-key-id"] },
      pathStyle: style === "true" || style === "false" ? style === "true" : style,
    };
    return checkedBy("bucket", given, options, host, secrets, storeFindings(openS3));
  },
  azureContainer(options, host, secrets) {
    const {
      "azure-container": azureContainer,
      "storage-account": storageAccount,
      prefix,
      endpoint,
    } = options;
    if (azureContainer === undefined) return undefined;
    const given = { azureContainer, storageAccount, prefix, endpoint };
    return checkedBy("bucket", given, options, host, secrets, storeFindings(openAzure));
  },
  gcsBucket(options, host, secrets) {
    const { "gcs-bucket": gcsBucket, prefix, endpoint } = options;
    if (gcsBucket === undefined) return undefined;
    return checkedBy(
      "bucket",
      { gcsBucket, prefix, endpoint },
      options,
      host,
      secrets,
      storeFindings(openGcs),
    );
  },
  repository(options, host, secrets) {
    const { repository, base, "plain-http": plainHttp } = options;
    if (repository === undefined) return undefined;
    const given = { repository, base, plainHttp };
    return checkedBy("registry", given, options, host, secrets, registryFindings);
  },
};

/** Reads the destinations that the options name. With `--write`, it also writes something small, and removes it. */
export async function checkDestinations(
  options: Options,
  host: DoctorHost,
  secrets: Secrets,
): Promise<Finding[]> {
  const checks = Object.values(CHECKS).map(async (check) => (await check(options, host, secrets)) ?? []);
  return (await Promise.all(checks)).flat();
}

function localFolder(folder: string, { write }: Options): Finding {
  const path = resolve(folder);
  if (write) return folderFinding("folder", path);
  const [problem] = folderFailures("folder", path);
  if (problem === undefined)
    return ok("folder", `${path} is a folder that this user may write, or can be made`);
  return failure(
    "folder",
    `${path} ${problem.reason}`,
    "Give the user that runs `pulumi up` the right to write there.",
  );
}

/** The checks of a destination, in their order. A failure ends them. */
type Steps<Inputs> = (
  inputs: Inputs,
  options: Options,
  context: DestinationContext,
) => AsyncGenerator<Finding>;

async function checkedBy<Inputs>(
  check: string,
  given: Readonly<Record<string, unknown>>,
  options: Options,
  { fetch, clock, environment }: DoctorHost,
  secrets: Secrets,
  steps: Steps<Inputs>,
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
      ...{ fetch, clock, environment, secrets, reporter: { ...silent, warn }, signal: limit.signal },
      deadline: startDeadline(clock, REQUESTS_LIMIT_MS),
      scratch: () => Promise.reject(new InternalError("a check needs no scratch folder", "")),
      owner: newOwner(undefined),
    };
    const checked = checkDestination(given);
    if ("problem" in checked) {
      return [
        failure(check, `${checked.at ?? check} ${checked.problem}`, "Correct the option of that name."),
      ];
    }
    for await (const finding of steps(checked.value as Inputs, options, context)) findings.push(finding);
  } catch (error) {
    findings.push(failureOf(check, error));
  } finally {
    stop();
  }
  return findings;
}

/** Object storage is checked by the requests that copies need. */
const storeFindings = <Inputs extends { readonly prefix?: string }>(
  open: (inputs: Inputs, context: DestinationContext) => Promise<ObjectStore>,
): Steps<Inputs> =>
  async function* (inputs, { write }, context) {
    const store = await open(inputs, context);
    try {
      const place = new BucketPlace(store, inputs, context);
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
  };

async function* registryFindings(
  { repository, base, plainHttp }: RepositoryInputs,
  { write, "signing-key-env": signingKey }: Options,
  context: DestinationContext,
): AsyncGenerator<Finding> {
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
