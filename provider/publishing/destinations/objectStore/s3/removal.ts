import type { Readable } from "node:stream";
import type { DeleteObjectsCommand } from "@aws-sdk/client-s3";
import { batchRemoval, type RemoveObjects } from "../batchRemoval";
import { unlessFailed } from "../storeError";
import { contentMd5 } from "./checksums";
import type { BucketClient } from "./client";

/** Removes objects of a bucket, see https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html */
export function s3Removal({ s3, sdk, destination, named, run, notAnswered }: BucketClient): RemoveObjects {
  const action = "s3:DeleteObject";
  /** @throws StoreError unless the store says that there is no such object */
  const checkGone = async (key: string): Promise<void> => {
    const reading = run({ action: "s3:GetObject", key }, async (options) => {
      const { Body } = await s3.getObject(named(key), options);
      (Body as Readable | undefined)?.destroy();
      return true;
    });
    if ((await unlessFailed(reading, "NoSuchKey")) === true) throw notAnswered({ action, key });
  };
  return batchRemoval({
    longest: 1_000,
    async many(keys) {
      const command = new sdk.s3.DeleteObjectsCommand({
        Bucket: destination.bucket,
        Delete: { Objects: keys.map((Key) => ({ Key })) },
      });
      sendMd5(command);
      const { Deleted = [] } = await run({ action }, (options) => s3.send(command, options));
      const gone = new Set(Deleted.map(({ Key }) => Key));
      return keys.filter((key) => !gone.has(key));
    },
    async one(key) {
      const removal = run({ action, key }, (options) => s3.deleteObject(named(key), options));
      const done = await unlessFailed(removal, "NoSuchKey");
      // a login page answers with 200, and S3 with 204
      if (done && done.$metadata.httpStatusCode !== 204) await checkGone(key);
    },
  });
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
