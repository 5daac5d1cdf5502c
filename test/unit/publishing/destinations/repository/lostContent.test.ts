// A registry that lost a part of an image and kept its manifest: a refresh sees it, and the next publication sends it again.
import { beforeEach, describe, expect, test } from "vitest";
import type { Copy } from "../../../../../provider/publishing/destinations/destination.ts";
import type { RepositoryInputs } from "../../../../../provider/publishing/destinations/repository/inputs.ts";
import { repositoryDestination } from "../../../../../provider/publishing/destinations/repository/repositoryDestination.ts";
import { BUNDLE } from "../../../../simulation/copiedBundle.ts";
import {
  type RegistryStub,
  startRegistryStub,
  storeBase,
  storeIndex,
} from "../../../../simulation/registryStub.ts";
import { newSigner } from "../../../../simulation/signedImage.ts";
import { copySite, operation } from "./repositoryCopies.ts";

let registry: RegistryStub;
let options: RepositoryInputs;
beforeEach(async (context) => {
  registry = await startRegistryStub(context);
  const bases = await startRegistryStub(context);
  const images = ["amd64", "arm64"].map((architecture) =>
    storeBase(bases, architecture, {}, { os: "linux", architecture }),
  );
  storeIndex(bases, "1.30", images);
  options = { repository: `${registry.host}/docs/site`, base: `${bases.host}/nginx:1.30` };
});

const signing = { signer: newSigner(), origin: { bundle: BUNDLE } };

interface Named {
  readonly config?: { readonly digest: string };
  readonly layers?: readonly { readonly digest: string }[];
}

const manifestAt = (name: string): Named => JSON.parse(String(registry.manifests.get(name)?.body)) as Named;
const manifestsOf = ({ parts }: Copy): string[] => parts["manifests"] as string[];
const artifactsOf = ({ parts }: Copy): string[] => parts["artifacts"] as string[];
const configOf = (manifest = ""): string => manifestAt(manifest).config?.digest ?? "";
const layerOf = (manifest = "", at = 0): string => manifestAt(manifest).layers?.at(at)?.digest ?? "";

/** What the registry loses, by a copy. */
const LOSSES: Readonly<Record<string, (copy: Copy) => string>> = {
  "the layer of the site": (copy) => layerOf(manifestsOf(copy)[1], -1),
  "a layer of the base": (copy) => layerOf(manifestsOf(copy)[1]),
  "a layer of the second platform": (copy) => layerOf(manifestsOf(copy)[2]),
  "the configuration": (copy) => configOf(manifestsOf(copy)[1]),
  "the manifest of a platform": (copy) => manifestsOf(copy)[2] ?? "",
};

const lose = (digest: string): void => {
  expect(registry.blobs.delete(digest) || registry.manifests.delete(digest)).toBe(true);
};

describe.each(Object.keys(LOSSES))("a registry that lost %s", (what) => {
  test("has another copy than was made, by name, and gets it again, and nothing else", async () => {
    const copy = await copySite(options);
    const lost = LOSSES[what]?.(copy) ?? "";
    const kept = registry.blobs.get(lost) ?? registry.manifests.get(lost);
    lose(lost);
    const context = await operation();
    expect(await repositoryDestination(options).compare(copy, context)).toBe("changed");
    expect(context.reporter.lines.warn).toEqual([
      `the registry has lost ${lost} of ${copy.uri}: nodes cannot pull it. The next \`pulumi up\` sends what is missing`,
    ]);
    registry.requests.length = 0;
    expect((await copySite(options)).uri).toBe(copy.uri);
    expect(registry.blobs.get(lost) ?? registry.manifests.get(lost)).toEqual(kept);
    expect(registry.requests.filter((each) => each.startsWith("PUT "))).toHaveLength(1);
    expect(await repositoryDestination(options).compare(copy, await operation())).toBe("same");
  });
});

test.each([
  ["the configuration of its signature", (copy: Copy) => configOf(artifactsOf(copy)[0])],
  ["a signed document", (copy: Copy) => layerOf(artifactsOf(copy)[2])],
  ["the signature", (copy: Copy) => layerOf(artifactsOf(copy)[0])],
])("a registry that lost %s has another copy than was made, and gets it again", async (_, find) => {
  const copy = await copySite(options, { signing });
  lose(find(copy));
  expect(await repositoryDestination(options).compare(copy, await operation())).toBe("changed");
  const again = await copySite(options, { signing });
  expect(await repositoryDestination(options).compare(again, await operation())).toBe("same");
});

describe("a registry that answers no HEAD for a blob", () => {
  beforeEach(() => {
    registry.rule = (method, path) => (method === "HEAD" && path.includes("/blobs/") ? 405 : undefined);
  });

  test("is asked for the first byte: nothing is lost as long as it has that", async () => {
    const copy = await copySite(options);
    const compared = async () => repositoryDestination(options).compare(copy, await operation());
    expect(await compared()).toBe("same");
    lose(layerOf(manifestsOf(copy)[1], -1));
    expect(await compared()).toBe("changed");
  });

  test("and none to GET either has lost nothing that anybody knows of", async () => {
    const copy = await copySite(options);
    lose(layerOf(manifestsOf(copy)[1], -1));
    registry.rule = (_, path) => (path.includes("/blobs/") ? 403 : undefined);
    expect(await repositoryDestination(options).compare(copy, await operation())).toBe("same");
  });
});

test("a registry that answers 404 to HEAD for a blob that it has, has lost nothing", async () => {
  const copy = await copySite(options);
  registry.rule = (method, path) => (method === "HEAD" && path.includes("/blobs/") ? 404 : undefined);
  expect(await repositoryDestination(options).compare(copy, await operation())).toBe("same");
});
