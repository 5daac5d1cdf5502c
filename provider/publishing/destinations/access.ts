import { randomUUID } from "node:crypto";
import { InternalError } from "../../base/runtime/messages/errors";
import { RegistryClient } from "../images/registry/client";
import type { RegistryContext } from "../images/registry/exchange";
import { findManifest } from "../images/registry/manifests";
import { parseBase, parseRepository, repositoryName } from "../images/registry/reference";
import { cancelUpload } from "../images/registry/upload";
import { newOwner } from "../ownership/owner";
import { RECORDS_FOLDER } from "../ownership/placeMark";
import type { DestinationContext } from "./destination";
import { type DestinationInputs, forItsKind } from "./inputs";
import { openAzure } from "./objectStore/azure/azureStore";
import { type BucketFields, BucketPlace } from "./objectStore/bucketPlace";
import { openGcs } from "./objectStore/gcs/gcsStore";
import type { ObjectStore } from "./objectStore/objectStore";
import { openS3 } from "./objectStore/s3/s3Store";
import { sendText } from "./objectStore/sendObject";
import type { RepositoryInputs } from "./repository/inputs";

/** What a trial of a destination found. */
export interface AccessFinding {
  readonly about: "bucket" | "registry" | "base" | "referrers";
  readonly level: "ok" | "warning" | "failure";
  readonly text: string;
  /** What helps. Empty if it is ok. */
  readonly remedy: string;
}

/** What is tried. */
interface AccessTrial {
  /** Also write something small, and remove it. */
  readonly write: boolean;
  /** Also what signatures need. */
  readonly signed: boolean;
}

/** A digest that no image has. */
const NO_DIGEST = `sha256:${"0".repeat(64)}`;

const ok = (about: AccessFinding["about"], text: string): AccessFinding => ({
  about,
  level: "ok",
  text,
  remedy: "",
});

/**
 * Tries a bucket or a repository by the requests that copies need. A folder has none.
 *
 * @throws DestinationError that says why the destination cannot be used; DeadlineExceededError; the signal's reason
 */
export function tryAccess(
  destination: DestinationInputs,
  trial: AccessTrial,
  given: RegistryContext,
): AsyncIterable<AccessFinding> {
  const context: DestinationContext = {
    ...given,
    scratch: () => Promise.reject(new InternalError("a trial needs no scratch folder", "")),
    owner: newOwner(undefined),
  };
  return forItsKind(destination, {
    folder: nothing,
    bucket: (inputs) => tryBucket(openS3(inputs, context), inputs, trial, context),
    azureContainer: (inputs) => tryBucket(openAzure(inputs, context), inputs, trial, context),
    gcsBucket: (inputs) => tryBucket(openGcs(inputs, context), inputs, trial, context),
    repository: (inputs) => tryRepository(inputs, trial, context),
  });
}

async function* nothing(): AsyncGenerator<AccessFinding> {}

async function* tryBucket(
  opening: Promise<ObjectStore>,
  fields: BucketFields,
  { write }: AccessTrial,
  context: DestinationContext,
): AsyncGenerator<AccessFinding> {
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

async function* tryRepository(
  { repository, base, plainHttp }: RepositoryInputs,
  { write, signed }: AccessTrial,
  context: RegistryContext,
): AsyncGenerator<AccessFinding> {
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
    const remedy = "Correct --base and the destination's `base`, or push that image.";
    yield found === undefined
      ? { about: "base", level: "failure", text: `there is no image ${base}`, remedy }
      : ok("base", `${base} is ${found}`);
  }
  if (signed) yield await tryReferrers(client, place.host);
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
async function tryReferrers(client: RegistryClient, host: string): Promise<AccessFinding> {
  const status = await client.send(
    { method: "GET", to: client.path("referrers", NO_DIGEST), accepted: [200, 400, 404, 405] },
    (reply) => Promise.resolve(reply.status),
  );
  if (status === 200) return ok("referrers", `${host} lists the referrers of an image`);
  return {
    about: "referrers",
    level: "warning",
    text: `${host} has no API for the referrers of an image (it answered ${status})`,
    remedy:
      "Signatures, statements and SBOMs are found by their tags instead. Programs that use only the API need another registry, or a newer version of this one.",
  };
}
