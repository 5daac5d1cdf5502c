import { DestinationError } from "../../../runtime/messages/errors";
import type { BucketPlace } from "./bucketPlace";
import type { UnfinishedUpload } from "./objectStore";

/** What has no activity for this time belongs to a killed run, in milliseconds. */
export const ABANDONED_AFTER_MS = 3_600_000;

/**
 * Aborts uploads below the prefix that killed runs left. Aborts none if the credentials do not allow to list them.
 *
 * @param isUnneeded whether an upload belongs to a killed run; `path`: its key below the prefix
 */
export async function clearUploads(
  place: BucketPlace,
  isUnneeded: (path: string, upload: UnfinishedUpload) => boolean | Promise<boolean>,
): Promise<void> {
  const prefix = place.key("");
  try {
    for (const upload of await place.objects.unfinishedUploads(prefix)) {
      if (!upload.key.startsWith(prefix)) continue;
      if (await isUnneeded(upload.key.slice(prefix.length), upload)) await upload.abort();
    }
  } catch (error) {
    if (!(error instanceof DestinationError)) throw error;
    place.context.reporter.debug(`unfinished uploads at ${place.uri} stay: ${error.message}`);
  }
}

/** Whether an upload had no activity for an hour. */
export async function isAbandoned({ context }: BucketPlace, upload: UnfinishedUpload): Promise<boolean> {
  const since = context.clock.now() - ABANDONED_AFTER_MS;
  return upload.startedAtMs <= since && (await upload.lastActiveMs()) < since;
}
