import type { DeleteObjectsCommand } from "@aws-sdk/client-s3";
import { inParallel } from "../../../../runtime/concurrency/inParallel";
import { CONCURRENCY } from "../objectStore";
import { StoreError } from "../storeError";
import { contentMd5 } from "./checksums";
import type { BucketClient } from "./client";

/** See https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html */
const LONGEST_LIST = 1_000;
/** How many lists are removed concurrently. */
const CONCURRENT_LISTS = 4;

/** Removes objects: a thousand with one request, and one by one what a store does not remove so. */
export class ObjectRemoval {
  readonly #client: BucketClient;
  #takesLists = true;

  constructor(client: BucketClient) {
    this.#client = client;
  }

  /** One that is already gone is not an error. @throws as `BucketClient.run`, with the key of an object that stays */
  async remove(keys: readonly string[]): Promise<void> {
    const left = keys.length > 1 ? await this.#removeLists(keys) : keys;
    await inParallel(left, CONCURRENCY, (key) => this.#removeOne(key));
  }

  /** @returns the keys of objects that the store did not remove, for whatever reason: a request for one object tells it */
  async #removeLists(keys: readonly string[]): Promise<string[]> {
    const starts = Array.from(
      { length: Math.ceil(keys.length / LONGEST_LIST) },
      (_, at) => at * LONGEST_LIST,
    );
    const left: string[] = [];
    await inParallel(starts, CONCURRENT_LISTS, async (start) => {
      left.push(...(await this.#removeList(keys.slice(start, start + LONGEST_LIST))));
    });
    return left;
  }

  async #removeList(keys: readonly string[]): Promise<readonly string[]> {
    if (!this.#takesLists) return keys;
    const { s3, sdk, destination } = this.#client;
    const command = new sdk.s3.DeleteObjectsCommand({
      Bucket: destination.bucket,
      Delete: { Objects: keys.map((Key) => ({ Key })) },
    });
    sendMd5(command);
    try {
      const { Deleted = [] } = await this.#client.run("s3:DeleteObject", undefined, (options) =>
        s3.send(command, options),
      );
      const gone = new Set(Deleted.map(({ Key }) => Key));
      return keys.filter((key) => !gone.has(key));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#takesLists = false;
      return keys;
    }
  }

  async #removeOne(key: string): Promise<void> {
    const { s3 } = this.#client;
    const which = this.#client.named(key);
    await this.#client.run("s3:DeleteObject", key, (options) => s3.deleteObject(which, options), {
      NoSuchKey: undefined,
    });
  }
}

/** Whether a store answered that it does not do what was requested, not that it cannot do it now. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof StoreError) || error.failure === "busy") return false;
  const { status = 0 } = error;
  return status === 501 || (status >= 400 && status < 500);
}

/** Replaces the SDK's checksum of the list by its MD5, which every store knows; unless MD5 is switched off (FIPS). */
function sendMd5({ middlewareStack }: DeleteObjectsCommand): void {
  middlewareStack.add(
    (next) => (args) => {
      const request = args.request as { headers: Record<string, string>; body?: unknown };
      const { ContentMD5: md5 } = contentMd5(request.body);
      if (md5 === undefined) return next(args);
      const others = Object.entries(request.headers).filter(
        ([name]) => !/^x-amz-(?:sdk-)?checksum-/i.test(name),
      );
      request.headers = { ...Object.fromEntries(others), "content-md5": md5 };
      return next(args);
    },
    { step: "build", priority: "low", name: "listMd5" },
  );
}
