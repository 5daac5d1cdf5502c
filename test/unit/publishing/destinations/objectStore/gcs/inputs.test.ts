import { expect, test } from "vitest";
import { checkDestination } from "../../../../../../provider/publishing/destinations/inputs.ts";

test.for([
  [
    { gcsBucket: "docs.example.com", prefix: "a/b/", endpoint: "https://storage-docs.p.googleapis.com/" },
    undefined,
  ],
  [{ gcsBucket: "a_b-c", linkLife: "168h" }, undefined],
  [{ gcsBucket: "gs://docs" }, "gcsBucket must be the bucket's name alone, without gs:// or an address"],
  [{ gcsBucket: "docs/site" }, /^gcsBucket must be the bucket's name alone: what follows .* `prefix`$/],
  [{ gcsBucket: "Docs" }, /^gcsBucket must consist of/],
  [{ gcsBucket: "ab" }, /^gcsBucket must have 3 to 63/],
  [{ gcsBucket: "a".repeat(64) }, /^gcsBucket must have 3 to 63/],
  [{ gcsBucket: `${"a".repeat(64)}.b` }, /^gcsBucket must have 1 to 63/],
  [{ gcsBucket: "a..b" }, /^gcsBucket must have 1 to 63/],
  [{ gcsBucket: "10.0.0.1" }, /^gcsBucket must not be an IP address/],
  [{ gcsBucket: 7 }, /^gcsBucket must be a string/],
  [{ gcsBucket: "docs", endpoint: "storage.example" }, /^endpoint must be an http\(s\) URL/],
  [{ gcsBucket: "docs", endpoint: "https://a:b@storage.example" }, /^endpoint must not contain credentials/],
  [{ gcsBucket: "docs", endpoint: "https://storage.example?a=b" }, /^endpoint must not have a query/],
  [
    { gcsBucket: "docs", endpoint: "https://storage.example/storage/v1" },
    /write «https:\/\/storage.example»$/,
  ],
  [{ gcsBucket: "docs", endpoint: "https://docs.storage.example" }, /write «https:\/\/storage.example»$/],
  [{ gcsBucket: "docs", linkLife: "169h" }, /^linkLife must be from «1s» to «168h»/],
  [{ gcsBucket: "docs", layout: "site", linkLife: "1h" }, /^linkLife is for the layout «archive» only/],
  [{ gcsBucket: "docs", region: "eu" }, /^region there is no such field for a gcsBucket/],
  [{ gcsBucket: "docs", bucket: "docs" }, /not bucket and gcsBucket: declare a copy for each destination/],
] as const)("%j", ([given, expected]) => {
  const checked = checkDestination(given);
  const problem = "problem" in checked ? `${checked.at ?? ""} ${checked.problem}`.trim() : undefined;
  if (typeof expected === "string" || expected === undefined) expect(problem).toBe(expected);
  else expect(problem).toMatch(expected);
});
