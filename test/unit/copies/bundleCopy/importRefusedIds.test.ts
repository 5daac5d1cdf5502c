// Imports by IDs that name no copy, or fields that the copy cannot have.
import { expect, test } from "vitest";
import { bundleCopy } from "../../../../provider/copies/bundleCopy/lifeCycle.ts";
import { importTest } from "./importedCopy.ts";

const { tested, context } = importTest();

const DIGEST = "a".repeat(64);

test.for([
  ["copies", "copies: is not the address of a copy. Write the output uri of the copy: FOLDER/SHA256.tar.gz"],
  [`s3://docs/${DIGEST}`, "is not the address of a copy"],
  [`s3://docs/site/#sha256:${DIGEST.slice(1)}`, "is not the address of a copy"],
  [`r.internal/docs:v1@sha256:${DIGEST}`, "is not the address of a copy"],
  ["docs.example.com/7f3a", "is not the address of a copy"],
  [`copies/${DIGEST}?place=x`, "there is no field place. Fields are: domain, jobId, version, file, baseUrl"],
  [`copies/${DIGEST}.zip?offlineSearch=true`, "there is no field offlineSearch"],
  [`copies/${DIGEST}?endpoint=x`, "there is no field endpoint"],
  [`copies/${DIGEST}?domain=%`, "the value of domain is not percent-encoded"],
  [`s3://Docs/${DIGEST}.zip`, "destination.bucket must consist of a-z, 0-9"],
  [`r.internal/docs@sha256:${DIGEST}?plainHttp=1`, "destination.plainHttp must be true or false"],
] as const)("the id %s is refused without a request", async ([id, message]) => {
  const { message: found } = await bundleCopy.import(context(), id).then(
    () => new Error("imported"),
    (error: unknown) => error as Error,
  );
  expect(found).toContain(message);
  expect(tested.calls).toEqual([]);
});
