import { expect, test } from "vitest";
import {
  loadS3Sdk,
  verifyS3Sdk,
} from "../../../../../../provider/publishing/destinations/objectStore/s3/sdk.ts";

test.for(["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"])(
  "without the AWS SDK the error has the command that installs it (%s)",
  async (code) => {
    const load = (): Promise<never> =>
      Promise.reject(Object.assign(new Error("Cannot find package"), { code }));
    const error = await loadS3Sdk(load).catch((reason: unknown) => reason as Error & { remedy: string });
    expect(error).toMatchObject({
      name: "ConfigurationError",
      remedy:
        "Run `npm install @aws-sdk/client-s3 @aws-sdk/lib-storage @aws-sdk/s3-request-presigner` in the project's folder.",
    });
  },
);

test("missing packages of it are found without loading anything", () => {
  expect(() => verifyS3Sdk()).not.toThrow();
  const asked: string[] = [];
  const resolve = (name: string): string => {
    asked.push(name);
    if (name !== "@aws-sdk/lib-storage") return name;
    throw Object.assign(new Error("Cannot find module"), { code: "MODULE_NOT_FOUND" });
  };
  expect(() => verifyS3Sdk(resolve)).toThrow("needs the AWS SDK, which is not installed");
  expect(asked).toEqual(["@aws-sdk/client-s3", "@aws-sdk/lib-storage"]);
});

test("an installed but broken SDK is not reported as missing", async () => {
  const broken = new Error("broken");
  await expect(loadS3Sdk(() => Promise.reject(broken))).rejects.toBe(broken);
});

test("it is loaded when it is installed", async () => {
  const { s3, storage, presigner } = await loadS3Sdk();
  expect(s3.S3Client).toBeTypeOf("function");
  expect((await storage()).Upload).toBeTypeOf("function");
  expect((await presigner()).getSignedUrl).toBeTypeOf("function");
});
