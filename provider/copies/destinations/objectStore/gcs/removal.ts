import { randomUUID } from "node:crypto";
import { inParallel } from "../../../../runtime/concurrency/inParallel";
import { CONCURRENCY } from "../objectStore";
import { StoreError } from "../storeError";
import { type GcsClient, textOf, unlessMissing } from "./client";

/** See https://cloud.google.com/storage/docs/batch */
const LONGEST_BATCH = 100;
/** How many batches are removed concurrently. */
const CONCURRENT_BATCHES = 4;

/** Removes objects: a hundred with one request, and one by one what a store does not remove so. */
export async function removeObjects(client: GcsClient, keys: readonly string[]): Promise<void> {
  const batches = Array.from({ length: Math.ceil(keys.length / LONGEST_BATCH) }, (_, at) =>
    keys.slice(at * LONGEST_BATCH, (at + 1) * LONGEST_BATCH),
  );
  const left: string[] = [];
  let isRefused = false;
  await inParallel(batches, CONCURRENT_BATCHES, async (batch) => {
    const stay = isRefused || batch.length === 1 ? batch : await removeBatch(client, batch);
    isRefused ||= stay === undefined;
    left.push(...(stay ?? batch));
  });
  await inParallel(left, CONCURRENCY, async (key) => {
    const url = client.object(key);
    await unlessMissing(
      client.send({ action: "storage.objects.delete", key, method: "DELETE", url }, async (reply) => {
        await reply.beginning(0);
      }),
    );
  });
}

/**
 * @returns the keys of objects that were not removed, for whatever reason: a request for one object tells it; `undefined` from a store
 *   without batches
 */
async function removeBatch(
  client: GcsClient,
  keys: readonly string[],
): Promise<readonly string[] | undefined> {
  const boundary = randomUUID();
  const parts = keys.map(
    (key, at) =>
      `--${boundary}\r\ncontent-type: application/http\r\ncontent-id: <${at}>\r\n\r\n` +
      `DELETE ${client.object(key).pathname} HTTP/1.1\r\n\r\n\r\n`,
  );
  const body = Buffer.from(`${parts.join("")}--${boundary}--\r\n`);
  const headers = {
    "content-type": `multipart/mixed; boundary=${boundary}`,
    "content-length": String(body.length),
  };
  const url = new URL(`${client.endpoint}/batch/storage/v1`);
  try {
    const answers = await client.send(
      { action: "storage.objects.delete", isOfBucket: true, method: "POST", url, headers, body: () => body },
      textOf,
    );
    const gone = new Set<number>();
    for (const answer of answers.split(/^content-id: *<response-/im).slice(1)) {
      const [, at, status = ""] = /^(\d+)>.*?^HTTP\/[\d.]+ (\d+)/ims.exec(answer) ?? [];
      const isGone = /^2/.test(status) || (status === "404" && !/bucket does not exist/i.test(answer));
      if (isGone) gone.add(Number(at));
    }
    return keys.filter((_, at) => !gone.has(at));
  } catch (error) {
    if (!(error instanceof StoreError) || error.failure === "busy" || error.status === undefined) throw error;
    return undefined;
  }
}
