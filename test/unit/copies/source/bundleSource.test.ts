import { expect, test } from "vitest";
import { UNKNOWN } from "../../../../provider/base/runtime/messages/plainText.ts";
import {
  type CheckedSource,
  describeSource,
  isSameSource,
} from "../../../../provider/copies/source/bundleSource.ts";

test.each([
  [{ jobId: "a", apiKeyEnv: "A" }, { jobId: "a", apiKeyEnv: "B" }, true],
  [{ jobId: "a" }, { jobId: "b" }, false],
  [{ file: "a", version: "v", fileSha256: "1" }, { file: "b", version: "v", fileSha256: "1" }, true],
  [{ file: "a", version: "v", fileSha256: "1" }, { file: "a", version: "v", fileSha256: "2" }, false],
  [{ file: "a", version: "v", fileSha256: "1" }, { file: "a", version: "v" }, true],
  [{ file: "a", version: "v" }, { file: "a", version: "w" }, false],
  [{ file: "a", version: "v" }, { file: "b", version: "v" }, false],
  [UNKNOWN, UNKNOWN, true],
  [{ jobId: "a" }, UNKNOWN, false],
  [undefined, { file: "a", version: "v", fileSha256: "1" }, false],
  [null, { jobId: "a" }, false],
])("%j and %j are the same content: %s", (one, other, same) => {
  expect(isSameSource(one, other)).toBe(same);
});

test("the name of a source in messages", () => {
  expect(describeSource({ file: "kit/bundle.tar.gz", version: "v1" })).toBe("the file kit/bundle.tar.gz");
  const source = { domain: "docs.example.com", jobId: "j1", version: "v1", baseUrl: "", apiKeyEnv: "" };
  expect(describeSource(source)).toBe("job j1 of docs.example.com");
  expect(describeSource({ ...source, jobId: UNKNOWN })).toBe("the export of docs.example.com");
  expect(describeSource({ ...source, domain: UNKNOWN })).toBe("job j1 of a site that is not known yet");
  expect(describeSource({ file: UNKNOWN, version: "v1" })).toBe("a file that is not known yet");
  // in a preview, all of it may be unknown
  expect(describeSource(UNKNOWN as unknown as CheckedSource)).toBe("a bundle that is not known yet");
});
