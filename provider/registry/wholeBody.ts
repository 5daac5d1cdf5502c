import { DestinationError } from "../words/errors";
import type { HttpReply } from "./exchange";

/** Longest text that is read: manifests may have 4 MiB, see «Pushing Manifests» of the distribution specification. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** The whole text of an answer. @throws DestinationError for one that is too long */
export async function readText(reply: HttpReply): Promise<string> {
  return (await readBytes(reply)).toString();
}

/** All bytes of an answer. @throws DestinationError for too many */
export async function readBytes(reply: HttpReply, limit = MAX_TEXT_BYTES): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of reply.content()) {
    size += chunk.length;
    if (size > limit) {
      throw new DestinationError(
        `the registry answered with more than ${limit / 1024 / 1024} MiB where a manifest is`,
        "Check the name of the image.",
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
