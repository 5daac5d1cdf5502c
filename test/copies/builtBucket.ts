import { stat } from "node:fs/promises";
import { bucketDestination } from "../../dist/provider/destination/bucket/bucketDestination.js";
import type { BucketInputs } from "../../dist/provider/destination/bucket/inputs.js";
import type { Draft } from "../../dist/provider/destination/destination.js";
import { systemClock } from "../../dist/provider/time/clock.js";
import { startDeadline } from "../../dist/provider/time/deadline.js";
import { Secrets } from "../../dist/provider/messages/secrets.js";

const silent = (): undefined => undefined;

/**
 * Begins a copy in a bucket as the built package does it: for processes whose time, memory or end is tested.
 *
 * @param archive a `.tar.gz` and its SHA-256 in hexadecimal digits
 * @param scratch an empty folder
 */
export async function beginCopy(
  place: BucketInputs,
  archive: { path: string; sha256: string },
  scratch: string,
): Promise<Draft> {
  const { size } = await stat(archive.path);
  return bucketDestination(place).begin(
    { ...archive, format: "tar.gz", size, version: "1" },
    {
      fetch: () => Promise.reject(new Error("nothing is fetched")),
      clock: systemClock,
      reporter: { progress: silent, debug: silent, info: silent, warn: silent },
      secrets: new Secrets(),
      signal: new AbortController().signal,
      deadline: startDeadline(systemClock, 600_000),
      environment: (name) => process.env[name],
      scratch: () => Promise.resolve(scratch),
    },
  );
}
