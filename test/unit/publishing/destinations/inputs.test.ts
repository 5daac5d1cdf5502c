import { resolve } from "node:path";
import { expect, test } from "vitest";
import { UNKNOWN } from "../../../../provider/base/runtime/messages/plainText.ts";
import { describeDestination } from "../../../../provider/publishing/destinations/destinationOf.ts";
import {
  checkDestination,
  destinationChange,
  type DestinationInputs,
  destinationKey,
} from "../../../../provider/publishing/destinations/inputs.ts";

const unknown = UNKNOWN as unknown as string;

test("a destination gets the defaults of its kind, and loses what is absent", () => {
  expect(checkDestination({ folder: "a", bucket: null, layout: undefined })).toEqual({
    value: { folder: "a", layout: "archive" },
  });
  expect(checkDestination({ repository: "r.internal/a", tag: "v1", plainHttp: true })).toEqual({
    value: { repository: "r.internal/a", tag: "v1", plainHttp: true },
  });
});

test("one kind is given, and only its fields", () => {
  const oneOf = "must be an object with one of folder, bucket, azureContainer, gcsBucket, repository";
  for (const none of [null, undefined, "a", 7, [], ["folder"], {}, { layout: "site" }, { folder: null }]) {
    expect(checkDestination(none)).toEqual({ problem: oneOf });
  }
  expect(checkDestination({ repository: "r.internal/a", folder: "a" })).toEqual({
    problem: `${oneOf}, not folder and repository: declare a copy for each destination`,
  });
  expect(checkDestination({ folder: "a", constructor: "x" })).toEqual({
    at: "constructor",
    problem: "there is no such field for a folder. Fields are: folder, layout",
  });
});

test("a field that a kind requires is asked for, also where it is not known yet", () => {
  const container = { azureContainer: "docs" };
  expect(checkDestination(container)).toEqual({
    at: "storageAccount",
    problem: "must be given with azureContainer",
  });
  expect(checkDestination({ ...container, storageAccount: unknown })).toHaveProperty(
    "value.layout",
    "archive",
  );
});

test("the first wrong field is named, and a field that is not known yet is not checked", () => {
  expect(checkDestination({ bucket: "docs", region: "", prefix: 1 })).toMatchObject({ at: "prefix" });
  expect(checkDestination({ repository: "r.internal/a", tag: "-" })).toMatchObject({ at: "tag" });
  expect(checkDestination({ repository: "r.internal/a", base: "N" })).toMatchObject({ at: "base" });
  for (const wrong of [-1, 1.5, "1", 2 ** 60]) {
    expect(
      checkDestination({ repository: "r.internal/a", base: "r.internal/n", maxPreviousBytes: wrong }),
    ).toMatchObject({
      at: "maxPreviousBytes",
      problem: expect.stringContaining("must be a number of bytes") as string,
    });
  }
  expect(checkDestination({ repository: "r.internal/a", maxPreviousBytes: 1 })).toMatchObject({
    problem: expect.stringContaining("without `base`") as string,
  });
  for (const right of [{ maxPreviousBytes: 0 }, { maxPreviousBytes: 7, base: "r.internal/n" }]) {
    expect(checkDestination({ repository: "r.internal/a", ...right })).toHaveProperty(
      "value.maxPreviousBytes",
    );
  }
  const given = { bucket: unknown, prefix: unknown, linkLife: "1h" };
  expect(checkDestination(given)).toEqual({ value: { ...given, layout: "archive" } });
});

test("destinations are the same if all fields are that tell where copies are", () => {
  const key = (destination: object): unknown => destinationKey(destination as DestinationInputs);
  expect(key({ folder: "a", layout: "site" })).toEqual(["folder", resolve("a"), "site"]);
  expect(key({ folder: "./a/" })).toEqual(["folder", resolve("a"), null]);
  expect(key({ folder: unknown })).toEqual(["folder", unknown, null]);
  expect(key({ bucket: "docs", region: "x", linkLife: "1h" })).toEqual(["bucket", "docs", null, null, null]);
  expect(key({ repository: "r/a", tag: "v1" })).toEqual(["repository", "r/a"]);
  expect(destinationKey(UNKNOWN as unknown as DestinationInputs)).toBe(UNKNOWN);
  expect(() => key({})).toThrow("a destination of no kind");
});

const BUCKET = { bucket: "docs", prefix: "a", layout: "archive" } as const;
const SITE = { ...BUCKET, layout: "site" } as const;
const IMAGE = { repository: "r.internal/a" };

test.each<[DestinationInputs, DestinationInputs, string]>([
  [{ folder: "a" }, { folder: "./a" }, "none"],
  [{ folder: "a" }, { folder: "b" }, "replaces"],
  [{ folder: "a", layout: "archive" }, { folder: "a", layout: "site" }, "replaces"],
  [{ folder: "a" }, IMAGE, "replaces"],
  [BUCKET, { ...BUCKET }, "none"],
  [BUCKET, { ...BUCKET, prefix: "b", linkLife: "1h" }, "replaces"],
  [BUCKET, { ...BUCKET, endpoint: "https://s3.example.com" }, "replaces"],
  [BUCKET, { ...BUCKET, region: "eu-west-1" }, "none"],
  [BUCKET, { ...BUCKET, region: "eu-west-1", linkLife: "1h" }, "link"],
  [{ ...BUCKET, linkLife: "1h" }, BUCKET, "link"],
  [SITE, { ...SITE, cleanUrls: true }, "none"],
  [SITE, { ...SITE, cleanUrls: false }, "content"],
  [{ ...SITE, cleanUrls: false }, SITE, "content"],
  [IMAGE, { ...IMAGE, tag: "v1" }, "content"],
  [IMAGE, { ...IMAGE, base: "nginx", plainHttp: true }, "content"],
  [IMAGE, { ...IMAGE, plainHttp: true }, "none"],
])("from %j to %j, the change of the destination means: %s", (before, now, change) => {
  expect(destinationChange(before, now)).toBe(change);
});

test("a destination is called by its id, once it is known", () => {
  const name = (destination: object): string => describeDestination(destination as DestinationInputs);
  expect(name({ folder: "a", layout: "site" })).toBe("a");
  expect(name({ folder: "a", layout: "archive" })).toBe("a");
  expect(name({ bucket: "docs", prefix: "a" })).toBe("s3://docs/a");
  expect(name({ repository: "r.internal/a", tag: "v1" })).toBe("r.internal/a");
  const notKnown = "a destination that is not known yet";
  expect(name({ bucket: "docs", prefix: unknown })).toBe(notKnown);
  expect(describeDestination(UNKNOWN as unknown as DestinationInputs)).toBe(notKnown);
});
