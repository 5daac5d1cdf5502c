// Two resources that copy to one repository: whose image is there, what the tag names, and what each of them removes.
import { beforeEach, describe, expect, test } from "vitest";
import type { Copy, Destination, Signing } from "../../../../../provider/copies/destinations/destination.ts";
import { repositoryDestination } from "../../../../../provider/copies/destinations/repository/repositoryDestination.ts";
import type { Owner } from "../../../../../provider/copies/ownership/owner.ts";
import { BUNDLE } from "../../../../simulation/copiedBundle.ts";
import { otherOwner, OWNER } from "../../../../simulation/owners.ts";
import {
  startRegistryStub,
  storeBase,
  storeIndex,
  type RegistryStub,
} from "../../../../simulation/registryStub.ts";
import { newSigner } from "../../../../simulation/signedImage.ts";
import { copySite, operation } from "./repositoryCopies.ts";

const OTHER = otherOwner();
const OTHER_NAME = `${OTHER.urn ?? ""} (stack website/prod)`;

let registry: RegistryStub;
let repository: string;
let lines: Awaited<ReturnType<typeof operation>>["reporter"]["lines"];
beforeEach(async (context) => {
  registry = await startRegistryStub(context);
  repository = `${registry.host}/docs/site`;
  lines = { progress: [], info: [], warn: [] };
});

async function as(owner: Owner): ReturnType<typeof operation> {
  const given = await operation();
  Object.assign(given.reporter.lines, lines);
  return { ...given, owner };
}
const digestIn = ({ uri }: Copy): string => uri.split("@")[1] ?? "";
const place = (tag?: string): Destination =>
  repositoryDestination({ repository, ...(tag !== undefined && { tag }) });
const publish = async (
  owner: Owner,
  text: string,
  { tag, signing, base }: { tag?: string; signing?: Signing; base?: string } = {},
): Promise<Copy> =>
  copySite(
    { repository, ...(tag !== undefined && { tag }), ...(base !== undefined && { base }) },
    { files: { "index.html": text }, context: await as(owner), ...(signing && { signing }) },
  );
const remove = async (owner: Owner, copies: Copy[], tag?: string, kept: Copy[] = []): Promise<void> =>
  place(tag).remove(copies, kept, await as(owner));
const compare = async (owner: Owner, copy: Copy, tag?: string): Promise<string> =>
  place(tag).compare(copy, await as(owner));
const left = (): string[] => [...registry.manifests.keys()];
/** The digest that a tag names. */
const named = (tag: string): string | undefined => {
  const body = registry.manifests.get(tag)?.body;
  return left().find((key) => key.startsWith("sha256:") && registry.manifests.get(key)?.body === body);
};

describe.each([
  ["an image", undefined],
  ["a signed image", { signer: newSigner(), origin: { bundle: BUNDLE } }],
] as const)("%s", (_, signing) => {
  const signed = signing && { signing };

  test("of two owners stays until the last of them removes it, and then nothing is left", async () => {
    const copy = await publish(OWNER, "v1", { ...signed });
    await publish(OTHER, "v1", { ...signed });
    expect(lines.warn).toEqual([]);
    await remove(OWNER, [copy]);
    expect(await compare(OTHER, copy)).toBe("same");
    expect(lines.info).toEqual([
      expect.stringMatching(RegExp(`:sha256-\\w{16} stays: it also belongs to ${OTHER.urn}`)),
    ]);
    await remove(OTHER, [copy]);
    expect(left()).toEqual([]);
  });

  test("that another owner tagged later loses the tag with a warning that names it, and gets it back", async () => {
    const theirs = await publish(OTHER, "theirs", { tag: "latest", ...signed });
    const ours = await publish(OWNER, "ours", { tag: "latest", ...signed });
    expect(lines.warn).toEqual([
      `${repository}:latest was a copy of ${OTHER_NAME}: it is this copy now. Give each resource a tag or a repository of its own`,
    ]);
    expect(await compare(OTHER, theirs, "latest")).toBe("changed");
    await remove(OWNER, [ours], "latest");
    expect(named("latest")).toBe(digestIn(theirs));
    expect(await compare(OTHER, theirs, "latest")).toBe("same");
    await remove(OTHER, [theirs], "latest");
    expect(left()).toEqual([]);
  });
});

test("pruning leaves an image that another stack tagged, and that tag", async () => {
  const [v1, v2] = [
    await publish(OWNER, "v1", { tag: "staging" }),
    await publish(OWNER, "v2", { tag: "staging" }),
  ];
  await publish(OTHER, "v1", { tag: "prod" });
  await remove(OWNER, [v1], "staging", [v2]);
  expect([named("prod"), named("staging")]).toEqual([digestIn(v1), digestIn(v2)]);
  expect(await compare(OTHER, v1, "prod")).toBe("same");
  await remove(OWNER, [v2], "staging");
  await remove(OTHER, [v1], "prod");
  expect(left()).toEqual([]);
});

test("a removed copy leaves the tag of a newer one", async () => {
  const theirs = await publish(OTHER, "theirs", { tag: "latest" });
  const ours = await publish(OWNER, "ours", { tag: "latest" });
  await remove(OTHER, [theirs], "latest");
  expect(named("latest")).toBe(digestIn(ours));
});

test("a manifest that a tag of others names stays, and a line names the tag", async () => {
  const copy = await publish(OWNER, "v1", { tag: "latest" });
  const image = registry.manifests.get(digestIn(copy));
  if (image) registry.manifests.set("audit-2026", image);
  await remove(OWNER, [copy], "latest");
  expect(named("audit-2026")).toBe(digestIn(copy));
  expect(lines.warn).toEqual([
    `${copy.uri} stays, because the tag audit-2026 names it. Remove it with that tag`,
  ]);
  expect(left().filter((name) => name.startsWith("docs-hosting-"))).toEqual([]);
});

test("the image of one platform that another owner's image has, too, stays with that one", async () => {
  storeIndex(registry, "1.30", [storeBase(registry, "amd64")]);
  const base = `${registry.host}/nginx`;
  const index = await publish(OWNER, "v1", { base: `${base}:1.30` });
  const single = await publish(OTHER, "v1", { base: `${base}:amd64` });
  await remove(OWNER, [index]);
  expect(await compare(OTHER, single)).toBe("same");
});

test("an image without its mark is found, and is marked again without being sent", async () => {
  const copy = await publish(OWNER, "v1", { tag: "latest" });
  for (const name of left()) if (name.endsWith(OWNER.id)) registry.manifests.delete(name);
  expect(await compare(OWNER, copy, "latest")).toBe("unmarked");
  registry.requests.length = 0;
  await place("latest").mark([copy], await as(OWNER));
  expect(registry.requests.filter((each) => each.startsWith("PUT"))).toEqual([
    expect.stringContaining("/manifests/docs-hosting-owner-"),
  ]);
  expect(await compare(OWNER, copy, "latest")).toBe("same");
  await remove(OWNER, [copy], "latest");
  expect(left().filter((name) => !name.startsWith("sha256:"))).toEqual([]);
});

test("an image whose registry lists no tags stays, and what to do is said", async () => {
  const copy = await publish(OWNER, "v1");
  registry.rule = (_method, path) => (path.endsWith("/tags/list") ? 403 : undefined);
  expect(await compare(OWNER, copy)).toBe("same");
  await remove(OWNER, [copy]);
  expect(registry.manifests.has(digestIn(copy))).toBe(true);
  expect(lines.warn).toEqual([expect.stringContaining(" stays, because its owners cannot be listed. ")]);
});

test("a publication that fails before its image is there leaves no mark", async () => {
  registry.rule = (method, path) =>
    method === "PUT" && path.includes("/manifests/sha256-") ? 403 : undefined;
  await expect(publish(OWNER, "v1")).rejects.toThrow("answered 403");
  expect(left()).toEqual([]);
});
