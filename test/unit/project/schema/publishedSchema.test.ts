import { expect, test } from "vitest";
import { publishedSchema } from "../../../../.ci/schema/publishedSchema.ts";

const SCHEMA = { name: "docs-hosting", version: "1.2.3", repository: "https://example.com/docs-hosting" };

test("the schema of a release names its repository: the archives are downloaded from there", () => {
  expect(publishedSchema(SCHEMA, { url: "git+https://github.com/owner/name.git" })).toEqual({
    ...SCHEMA,
    repository: "https://github.com/owner/name",
    pluginDownloadURL: "github://api.github.com/owner/name",
  });
});

test.each([undefined, { url: "https://example.com/owner/name" }])(
  "without a repository of releases, the schema stays as it is: %o",
  (repository) => {
    expect(publishedSchema(SCHEMA, repository)).toBe(SCHEMA);
  },
);
