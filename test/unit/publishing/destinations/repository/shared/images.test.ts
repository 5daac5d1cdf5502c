// Images that several resources have in one repository: whose they are, and until when they stay.
import { describe, expect, test } from "vitest";
import { BUNDLE } from "../../../../../simulation/copiedBundle.ts";
import { otherOwner, OWNER } from "../../../../../simulation/owners.ts";
import { storeBase, storeIndex } from "../../../../../simulation/registryStub.ts";
import { newSigner } from "../../../../../simulation/signedImage.ts";
import type { operation } from "../repositoryCopies.ts";
import { copySite } from "../repositoryCopies.ts";
import { OTHER, sharedRepository } from "./sharedRepository.ts";

const shared = sharedRepository();
const { as, digestIn, place, publish, remove, compare, left, named } = shared;

describe.each([
  ["an image", undefined],
  ["a signed image", { signer: newSigner(), origin: { bundle: BUNDLE } }],
] as const)("%s", (_, signing) => {
  const signed = signing && { signing };

  test("of two owners stays until the last of them removes it, and then nothing is left", async () => {
    const copy = await publish(OWNER, "v1", { ...signed });
    await publish(OTHER, "v1", { ...signed });
    expect(shared.lines.warn).toEqual([]);
    await remove(OWNER, [copy]);
    expect(await compare(OTHER, copy)).toBe("same");
    expect(shared.lines.info).toEqual([
      expect.stringMatching(RegExp(`:sha256-\\w{16} stays: it also belongs to ${OTHER.urn}`)),
    ]);
    await remove(OTHER, [copy]);
    expect(left()).toEqual([]);
  });
});

describe("a create", () => {
  const killed = { ...otherOwner(), urn: OWNER.urn };
  const asCreate = async (): ReturnType<typeof operation> => ({ ...(await as(OWNER)), isCreate: true });

  test("takes over what a killed run of its URN left, also another version, and nothing is left at the end", async () => {
    await publish(killed, "v1", { tag: "latest" });
    await publish(killed, "v2", { tag: "latest" });
    const inputs = { repository: shared.repository, tag: "latest" };
    await place("latest").check([], await asCreate());
    const copy = await copySite(inputs, { files: { "index.html": "v3" }, context: await asCreate() });
    expect(shared.lines.info.filter((line) => line.startsWith("takes over 2 images"))).toHaveLength(1);
    await remove(OWNER, [copy], "latest");
    expect(left()).toEqual([]);
  });

  test("of another stack takes over nothing", async () => {
    const theirs = await publish(OTHER, "v1");
    await copySite(
      { repository: shared.repository },
      { files: { "index.html": "v1" }, context: await asCreate() },
    );
    expect(await compare(OTHER, theirs)).toBe("same");
    expect(shared.lines.info).toEqual([]);
  });
});

describe("a list of tags that proves nothing", () => {
  test.each([
    ["is refused", { status: 403 }],
    [
      "is a login page",
      { status: 200, headers: { "content-type": "text/html" }, body: "<html>Sign in</html>" },
    ],
    ["is empty", { status: 200, body: "" }],
    ["is cut", { status: 200, body: '{"name":"docs/site","tags":["sha' }],
    ["has no tags", { status: 200, body: "{}" }],
    ["lags behind", { status: 200, body: '{"name":"docs/site","tags":[]}' }],
    ["is of somebody else's", { status: 200, body: '{"tags":[1]}' }],
  ])("because it %s keeps the image, for every owner, with a warning", async (_, reply) => {
    const copy = await publish(OWNER, "v1");
    await publish(OTHER, "v1");
    shared.registry.rule = (_method, path) => (path.endsWith("/tags/list") ? reply : undefined);
    await remove(OWNER, [copy]);
    expect(shared.registry.manifests.has(digestIn(copy))).toBe(true);
    expect(shared.lines.warn).toEqual([
      expect.stringContaining(" stays, because its owners cannot be listed. "),
    ]);
    shared.registry.rule = undefined;
    await remove(OTHER, [copy]);
    expect(shared.registry.manifests.has(digestIn(copy))).toBe(false);
  });
});

test("the image of one platform that another owner's image has, too, stays with that one", async () => {
  storeIndex(shared.registry, "1.30", [storeBase(shared.registry, "amd64")]);
  const base = `${shared.registry.host}/nginx`;
  const index = await publish(OWNER, "v1", { base: `${base}:1.30` });
  const single = await publish(OTHER, "v1", { base: `${base}:amd64` });
  await remove(OWNER, [index]);
  expect(await compare(OTHER, single)).toBe("same");
});

test("a manifest that a tag of others names stays, and a line names the tag", async () => {
  const copy = await publish(OWNER, "v1", { tag: "latest" });
  const image = shared.registry.manifests.get(digestIn(copy));
  if (image) shared.registry.manifests.set("audit-2026", image);
  await remove(OWNER, [copy], "latest");
  expect(named("audit-2026")).toBe(digestIn(copy));
  expect(shared.lines.warn).toEqual([
    `${copy.uri} stays, because the tag audit-2026 names it. Remove it with that tag`,
  ]);
  expect(left().filter((name) => name.startsWith("docs-hosting-"))).toEqual([]);
});

test("an image whose registry lists no tags stays, and what to do is said", async () => {
  const copy = await publish(OWNER, "v1");
  shared.registry.rule = (_method, path) => (path.endsWith("/tags/list") ? 403 : undefined);
  expect(await compare(OWNER, copy)).toBe("same");
  await remove(OWNER, [copy]);
  expect(shared.registry.manifests.has(digestIn(copy))).toBe(true);
  expect(shared.lines.warn).toEqual([
    expect.stringContaining(" stays, because its owners cannot be listed. "),
  ]);
});

test("an owner that left while the registry refused removals, and published again, keeps its image", async () => {
  const copy = await publish(OTHER, "v1");
  await publish(OWNER, "v1");
  shared.registry.refusesRemoval = true;
  await remove(OTHER, [copy]);
  await publish(OTHER, "v1");
  shared.registry.refusesRemoval = false;
  await remove(OWNER, [copy]);
  expect(await compare(OTHER, copy)).toBe("same");
});

describe("a proxy's 404 in place of the registry's answer is no proof:", () => {
  const page = { status: 404, headers: { "content-type": "text/html" }, body: Buffer.from("<h1>404</h1>") };
  const answers = (isAsked: (method: string, path: string) => boolean): void => {
    shared.registry.rule = (method, path) => (isAsked(method, path) ? page : undefined);
  };
  const NO_REGISTRY = "something that is no registry";

  test("the mark of another owner counts, and the image stays", async () => {
    const copy = await publish(OWNER, "v1");
    await publish(OTHER, "v1");
    answers((_, path) => path.endsWith(OTHER.id) && path.includes("-owner-"));
    await expect(remove(OWNER, [copy])).rejects.toThrow(NO_REGISTRY);
    expect(left()).toContain(digestIn(copy));
  });

  test("a tag that somebody gave to the image counts, and the image stays", async () => {
    const copy = await publish(OWNER, "v1");
    const image = shared.registry.manifests.get(digestIn(copy));
    if (image) shared.registry.manifests.set("stable", image);
    answers((_, path) => path.endsWith("/manifests/stable"));
    await expect(remove(OWNER, [copy])).rejects.toThrow(NO_REGISTRY);
    expect(left()).toContain(digestIn(copy));
  });

  test("an image is not forgotten, and its mark stays", async () => {
    const copy = await publish(OWNER, "v1");
    answers((_, path) => path.endsWith(digestIn(copy)));
    await expect(compare(OWNER, copy)).rejects.toThrow(NO_REGISTRY);
    await expect(remove(OWNER, [copy])).rejects.toThrow(NO_REGISTRY);
    expect(left().some((name) => name.startsWith("docs-hosting-owner-"))).toBe(true);
  });

  test("a tag is not taken that may be another's", async () => {
    await publish(OTHER, "theirs", { tag: "latest" });
    answers((_, path) => path.endsWith("/manifests/latest"));
    await expect(place("latest").check([], await as(OWNER))).rejects.toThrow(NO_REGISTRY);
  });
});
