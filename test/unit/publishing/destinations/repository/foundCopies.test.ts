// Copies in a repository that are found without a state, as an import does.
import { describe, expect, test } from "vitest";
import { BUNDLE } from "../../../../simulation/copiedBundle.ts";
import { storeBase, storeIndex } from "../../../../simulation/registryStub.ts";
import { copySite, operation, SITE } from "./repositoryCopies.ts";
import { digestIn, sha256, testRepository } from "./testRepository.ts";

const at = testRepository();
const { destination } = at;

describe("a copy that is found without a state", () => {
  const find = async (digest: string) => destination().find(digest, await operation());

  test("has its files and its source, and is not signed", async () => {
    const copy = await copySite({ repository: at.repository });
    expect(await find(digestIn(copy))).toEqual({
      copy: { uri: copy.uri, image: copy.uri, parts: copy.parts },
      isSigned: false,
      sha256: BUNDLE.sha256,
      files: new Map([
        ["index.html", sha256(SITE["index.html"] ?? "")],
        ["guide/a.html", sha256("short")],
        ["index.html.gz", expect.any(String)],
      ]),
      source: { domain: "docs.example.com", jobId: "job-1", version: "v1" },
    });
  });

  test("on a base names the base as the program did: by its tag, or by its digest", async () => {
    const digest = storeIndex(at.registry, "1.30", [storeBase(at.registry, "amd64")]);
    const name = `${at.registry.host}/nginx`;
    for (const base of [`${name}:1.30`, `${name}@${digest}`]) {
      const copy = await copySite({ repository: at.repository, base });
      const found = await find(digestIn(copy));
      expect(found.destination).toEqual({ base });
      expect(found.copy.parts).toEqual(copy.parts);
      expect(found.files?.size).toBe(3);
    }
  });

  test("whose images have different sites is refused", async () => {
    const [one, two] = [
      await copySite({ repository: at.repository }),
      await copySite({ repository: at.repository }, { files: { a: "b" } }),
    ];
    const platform = { os: "linux", architecture: "amd64" };
    const described = [one, two].map((copy) => ({ digest: digestIn(copy), platform }));
    const digest = storeIndex(at.registry, "mixed", described);
    await expect(find(digest)).rejects.toMatchObject({
      message: `the images in ${at.repository}@${digest} do not have the same site`,
      remedy: "It is no copy of this package. Make a new copy in this repository.",
    });
  });

  test.each([
    ["an index of nothing", () => storeIndex(at.registry, "none", [])],
    [
      "an image of others",
      () =>
        (storeBase(at.registry, "other", { "docs-hosting.bundle.sha256": "x" }) as { digest: string }).digest,
    ],
  ])("that is %s is refused", async (_what, store) => {
    const digest = store();
    await expect(find(digest)).rejects.toThrow(
      `${at.repository}@${digest} has no annotation docs-hosting.bundle.sha256`,
    );
  });
});
