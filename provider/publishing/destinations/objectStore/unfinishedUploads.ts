import { DestinationError } from "../../../base/runtime/messages/errors";
import type { BucketPlace } from "./bucketPlace";
import type { UnfinishedUpload } from "./objectStore";

/** What has no activity for this time belongs to a killed run, in milliseconds. */
export const ABANDONED_AFTER_MS = 3_600_000;

/**
 * Aborts uploads below the prefix that killed runs left. Aborts none if the credentials do not allow to list them.
 *
 * @param isOurs whether copies have a name below the prefix
 * @param mayBeActive whether another run may be sending it: then an upload is left by a killed run if it had no activity for an hour
 */
export async function clearUploads(
  place: BucketPlace,
  isOurs: (name: string) => boolean,
  mayBeActive: (name: string) => boolean,
): Promise<void> {
  const prefix = place.key("");
  const since = place.context.clock.now() - ABANDONED_AFTER_MS;
  const isAbandoned = async (upload: UnfinishedUpload): Promise<boolean> =>
    upload.startedAtMs <= since && (await upload.lastActiveMs()) < since;
  try {
    for (const upload of await place.objects.unfinishedUploads(prefix)) {
      const name = upload.key.slice(prefix.length);
      if (!upload.key.startsWith(prefix) || !isOurs(name)) continue;
      if (!mayBeActive(name) || (await isAbandoned(upload))) await upload.abort();
    }
  } catch (error) {
    if (!(error instanceof DestinationError)) throw error;
    place.context.reporter.debug(`unfinished uploads at ${place.uri} stay: ${error.message}`);
  }
}
