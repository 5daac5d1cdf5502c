import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { FailedAttempt } from "../../../base/http/retryPolicy";
import { DestinationError } from "../../../base/runtime/messages/errors";
import { digestOf } from "../../../base/runtime/values/digest";
import type { RegistryClient } from "./client";
import { type Blob } from "./content";
import { wholeBody } from "./exchange";
import { checkDigest } from "./manifests";
import { type Absence, absenceIn, demandProof } from "./notFound";
import { pinned } from "./reference";

/** Maximum size of a blob that is read into memory, in bytes: configurations of images are far smaller. */
const MAX_MEMORY_BYTES = 8 * 1024 * 1024;

/**
 * Reads a small blob, such as an image's configuration, and verifies its digest.
 *
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function readBlob(client: RegistryClient, { digest }: Blob): Promise<Buffer> {
  const call = { method: "GET", to: client.path("blobs", digest), accepted: [200] } as const;
  const bytes = await client.send(call, (reply) => wholeBody(reply, MAX_MEMORY_BYTES));
  checkDigest(client, digest, digestOf(bytes));
  return bytes;
}

/**
 * Reads a small blob that may be missing or damaged.
 *
 * @returns undefined when the registry does not have exactly these bytes
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function findBlob(client: RegistryClient, { digest }: Blob): Promise<Buffer | undefined> {
  const call = { method: "GET", to: client.path("blobs", digest), accepted: [200, 404] } as const;
  const found = await client.send<Buffer | { absence: Absence }>(call, async (reply) =>
    reply.status === 404 ? { absence: await absenceIn(reply) } : wholeBody(reply, MAX_MEMORY_BYTES),
  );
  if ("absence" in found) {
    await demandProof(client, found.absence, `the question for ${pinned(client.repository, digest)}`);
    return undefined;
  }
  return digestOf(found) === digest ? found : undefined;
}

/**
 * Downloads a blob into a file, and verifies its digest and size. It resumes an interrupted download, even one of a killed run.
 *
 * @param path of the file; existing content is treated as the start of the blob
 * @param moved gets the number of bytes that have arrived
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function downloadBlob(
  client: RegistryClient,
  { digest, size }: Blob,
  path: string,
  moved: (bytes: number) => void = () => undefined,
): Promise<void> {
  const name = pinned(client.repository, digest);
  const retries = client.retries();
  const file = await open(path, constants.O_RDWR | constants.O_CREAT);
  try {
    let { offset, hash } = await readBeginning(file, size, client.context.signal);
    /** Whether an earlier call wrote some of the bytes, which may be wrong. */
    let isOld = offset > 0;
    const restart = (): void => {
      offset = 0;
      hash = createHash("sha256");
      isOld = false;
    };
    for (;;) {
      if (offset === size) {
        const found = `sha256:${hash.digest("hex")}`;
        if (!isOld) checkDigest(client, digest, found);
        if (found === digest) return;
        restart();
      }
      const before = offset;
      const outcome = await client.sendOnce(
        {
          method: "GET",
          to: client.path("blobs", digest),
          headers: offset > 0 ? { range: `bytes=${offset}-` } : {},
          accepted: [200, 206],
        },
        async (reply) => {
          const continues =
            reply.status === 206 && (reply.headers.get("content-range") ?? "").startsWith(`bytes ${offset}-`);
          if (!continues) restart();
          for await (const chunk of reply.content()) {
            if (offset + chunk.length > size) {
              throw new DestinationError(
                `the registry gave more for ${name} than its manifest says`,
                "Something between here and the registry, or the registry's own store, changes content: check both.",
              );
            }
            await file.write(chunk, 0, chunk.length, offset);
            hash.update(chunk);
            offset += chunk.length;
            moved(offset);
          }
        },
      );
      if (offset > before) retries.moved(offset - before);
      if (offset < size) await retries.pause("fault" in outcome ? outcome : endedEarly(name));
    }
  } finally {
    await file.close();
  }
}

/** Hashes the existing start of a blob. A file that is larger than the blob is emptied. */
async function readBeginning(file: FileHandle, size: number, signal: AbortSignal) {
  const hash = createHash("sha256");
  if ((await file.stat()).size > size) await file.truncate();
  const block = Buffer.allocUnsafe(1 << 20);
  for (let offset = 0; ;) {
    const { bytesRead } = await file.read(block, 0, block.length, offset);
    signal.throwIfAborted();
    if (bytesRead === 0) return { offset, hash };
    hash.update(block.subarray(0, bytesRead));
    offset += bytesRead;
  }
}

function endedEarly(name: string): FailedAttempt {
  return {
    fault: { kind: "interrupted", code: "ended early" },
    error: new DestinationError(
      `${name} ended before its size`,
      "Check the network, and that the registry is up.",
    ),
  };
}
