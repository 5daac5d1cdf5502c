// Two resources that copy to one repository: whose image is there, what the tag names, and what each of them removes.
import { beforeEach, describe, expect, test } from "vitest";
import type {
  Copy,
  DraftingDestination,
  Signing,
} from "../../../../../provider/publishing/destinations/destination.ts";
import { repositoryDestination } from "../../../../../provider/publishing/destinations/repository/repositoryDestination.ts";
import { newOwner, type Owner } from "../../../../../provider/publishing/ownership/owner.ts";
import { BUNDLE } from "../../../../simulation/copiedBundle.ts";
import { digestOf } from "../../../../simulation/memoryRegistry.ts";
import { otherOwner, OWNER } from "../../../../simulation/owners.ts";
import {
  type RegistryStub,
  startRegistryStub,
  storeBase,
  storeIndex,
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
const place = (tag?: string): DraftingDestination =>
  repositoryDestination({ repository, ...(tag !== undefined && { tag }) });
const publish = async (
  owner: Owner,
  text: string,
  {
    tag,
    signing,
    base,
    takeOver = false,
    earlier = [],
  }: { tag?: string; signing?: Signing; base?: string; takeOver?: boolean; earlier?: readonly Copy[] } = {},
): Promise<Copy> =>
  copySite(
    { repository, ...(tag !== undefined && { tag }), ...(base !== undefined && { base }) },
    {
      files: { "index.html": text },
      context: { ...(await as(owner)), takeOver },
      earlier,
      ...(signing && { signing }),
    },
  );
const remove = async (owner: Owner, copies: Copy[], tag?: string, kept: Copy[] = []): Promise<void> => {
  const [newest, ...older] = kept;
  const context = await as(owner);
  await (newest
    ? place(tag).prune(copies, [newest, ...older], context)
    : place(tag).release(copies, context));
};
/** A removal that is killed when it removes the first manifest at which `isThen` holds. */
const killedRemoval = async (
  owner: Owner,
  copy: Copy,
  isThen = (): boolean => true,
  tag?: string,
): Promise<void> => {
  const kill = new AbortController();
  registry.rule = (method, path) => {
    if (method !== "DELETE" || !path.includes("/manifests/") || !isThen()) return undefined;
    kill.abort(new Error("killed"));
    return 500;
  };
  const context = { ...(await as(owner)), signal: kill.signal };
  await expect(place(tag).release([copy], context)).rejects.toThrow("killed");
  registry.rule = undefined;
};
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

  test("with another resource's tag is refused before anything is written, and taken over if that is asked for", async () => {
    const theirs = await publish(OTHER, "theirs", { tag: "latest", ...signed });
    const before = left();
    await expect(place("latest").check([], await as(OWNER))).rejects.toThrow(
      `the tag ${repository}:latest belongs to ${OTHER_NAME}`,
    );
    expect(left()).toEqual(before);
    await place("latest").check([], { ...(await as(OWNER)), takeOver: true });
    expect(lines.warn).toEqual([expect.stringContaining("it is taken over, because `takeOver` is set")]);
    await publish(OWNER, "ours", { tag: "latest", takeOver: true, ...signed });
    expect(await compare(OTHER, theirs, "latest")).toBe("changed");
    // the former owner does not take it back without a word
    await expect(place("latest").check([theirs], await as(OTHER))).rejects.toThrow("belongs to");
  });
});

const { urn: URN = "" } = OTHER;
const SIBLING = URN.replace(/site$/, "other");

test.each([
  ["a create of the same URN: it is taken over", URN, true, false, true],
  ["a state of the same URN, as in another backend: it is refused", URN, false, false, false],
  [
    "another resource of the stack, whose owner is not declared: it is taken over",
    SIBLING,
    true,
    false,
    true,
  ],
  ["another resource of the stack, whose owner is declared: it is refused", SIBLING, true, true, false],
])("a tag and %s", async (_, urn, isCreate, isDeclared, isTaken) => {
  await publish(OTHER, "theirs", { tag: "latest" });
  const context = { ...(await as(newOwner(urn))), isCreate, isDeclared: () => isDeclared };
  const check = place("latest").check([], context);
  if (!isTaken) return expect(check).rejects.toThrow(`the tag ${repository}:latest belongs to ${OTHER_NAME}`);
  await check;
  expect(lines.info).toEqual([expect.stringContaining("is taken over")]);
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

test("the tag of an image that stays for another owner goes with its owner", async () => {
  const copy = await publish(OWNER, "v1", { tag: "staging" });
  await publish(OTHER, "v1", { tag: "prod" });
  await remove(OWNER, [copy], "staging");
  expect([named("prod"), named("staging")]).toEqual([digestIn(copy), undefined]);
  await remove(OTHER, [copy], "prod");
  expect(left()).toEqual([]);
});

test("a tag that people gave to an image is not moved to another one", async () => {
  const theirs = await publish(OTHER, "theirs");
  const image = registry.manifests.get(digestIn(theirs));
  if (image) registry.manifests.set("latest", image);
  await expect(publish(OWNER, "ours", { tag: "latest" })).rejects.toThrow(
    "names an image that this resource did not publish",
  );
  expect(named("latest")).toBe(digestIn(theirs));
});

describe("a create", () => {
  const killed = { ...otherOwner(), urn: OWNER.urn };
  const asCreate = async (): ReturnType<typeof operation> => ({ ...(await as(OWNER)), isCreate: true });

  test("takes over what a killed run of its URN left, also another version, and nothing is left at the end", async () => {
    await publish(killed, "v1", { tag: "latest" });
    await publish(killed, "v2", { tag: "latest" });
    const inputs = { repository, tag: "latest" };
    await place("latest").check([], await asCreate());
    const copy = await copySite(inputs, { files: { "index.html": "v3" }, context: await asCreate() });
    expect(lines.info.filter((line) => line.startsWith("takes over 2 images"))).toHaveLength(1);
    await remove(OWNER, [copy], "latest");
    expect(left()).toEqual([]);
  });

  test("of another stack takes over nothing", async () => {
    const theirs = await publish(OTHER, "v1");
    await copySite({ repository }, { files: { "index.html": "v1" }, context: await asCreate() });
    expect(await compare(OTHER, theirs)).toBe("same");
    expect(lines.info).toEqual([]);
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
    registry.rule = (_method, path) => (path.endsWith("/tags/list") ? reply : undefined);
    await remove(OWNER, [copy]);
    expect(registry.manifests.has(digestIn(copy))).toBe(true);
    expect(lines.warn).toEqual([expect.stringContaining(" stays, because its owners cannot be listed. ")]);
    registry.rule = undefined;
    await remove(OTHER, [copy]);
    expect(registry.manifests.has(digestIn(copy))).toBe(false);
  });
});

describe("who may push and writes marks", () => {
  /** A manifest of others under a tag. */
  const forge = (tag: string, annotations: object): void => {
    const type = "application/vnd.oci.image.manifest.v1+json";
    const artifactType = "application/vnd.pulumi-docs-hosting.owner.v1+json";
    const body = Buffer.from(
      JSON.stringify({ schemaVersion: 2, mediaType: type, artifactType, annotations }),
    );
    registry.manifests.set(tag, { type, body }).set(digestOf(body), { type, body });
  };
  const markTag = (kind: string, copy: Copy, owner: Owner): string =>
    `docs-hosting-${kind}-${digestIn(copy).slice(7, 23)}-${owner.id}`;

  test("with a foreign image in `earlier` does not have it removed", async () => {
    storeBase(registry, "foreign");
    const foreign = named("foreign") ?? "";
    const copy = await publish(OWNER, "v1");
    const text = JSON.stringify({ owner: OWNER.id, urn: OWNER.urn });
    forge(markTag("owner", copy, OWNER), {
      "pulumi-docs-hosting.owner": text,
      "pulumi-docs-hosting.image": digestIn(copy),
      "pulumi-docs-hosting.earlier": foreign,
    });
    await remove(OWNER, [copy]);
    expect(named("foreign")).toBe(foreign);
    expect(registry.manifests.has(foreign)).toBe(true);
  });

  test("for a foreign image in the name of an owner does not have it removed", async () => {
    storeBase(registry, "foreign");
    const foreign = named("foreign") ?? "";
    const copy = await publish(OWNER, "v1");
    forge(`docs-hosting-owner-${foreign.slice(7, 23)}-${OWNER.id}`, {
      "pulumi-docs-hosting.owner": JSON.stringify({ owner: OWNER.id, urn: OWNER.urn }),
      "pulumi-docs-hosting.image": foreign,
    });
    await remove(OWNER, [copy]);
    expect(registry.manifests.has(foreign)).toBe(true);
  });

  test("and says that another owner has left does not have its image removed", async () => {
    const copy = await publish(OWNER, "v1");
    await publish(OTHER, "v1");
    for (const kind of ["left", "leaving"]) {
      forge(markTag(kind, copy, OTHER), { "pulumi-docs-hosting.tags": "" });
    }
    await remove(OWNER, [copy]);
    expect(await compare(OTHER, copy)).toBe("same");
  });

  test("under the tag of a mark does not have a manifest removed that is no mark", async () => {
    const copy = await publish(OWNER, "v1");
    storeBase(registry, markTag("owner", copy, OWNER));
    const foreign = named(markTag("owner", copy, OWNER)) ?? "";
    await remove(OWNER, [copy]);
    expect(registry.manifests.has(foreign)).toBe(true);
    expect(lines.warn).toEqual([expect.stringContaining("it has no mark of this resource")]);
  });
});

test("a publication waits until another owner's removal of the image has ended, and sends the image again", async () => {
  const copy = await publish(OTHER, "v1");
  const given = await as(OWNER);
  const waiting = Promise.withResolvers<undefined>();
  const context = {
    ...given,
    clock: { ...given.clock, after: (_ms: number, run: () => void) => given.clock.after(1, run) },
    reporter: {
      ...given.reporter,
      progress: (text: string) => text.startsWith("waiting") && waiting.resolve(undefined),
    },
  };
  // the removal has announced itself and found no other owner; its first deletion is on its way
  let published: Promise<Copy> | undefined;
  const removing = await as(OTHER);
  const fetch: typeof removing.fetch = async (url, init) => {
    if (init.method === "DELETE" && published === undefined) {
      published = copySite({ repository }, { files: { "index.html": "v1" }, context });
      await Promise.race([waiting.promise, published]);
    }
    return removing.fetch(url, init);
  };
  await place().release([copy], { ...removing, fetch });
  const again = await published;
  expect(again && (await compare(OWNER, again))).toBe("same");
});

test("an owner that left while the registry refused removals, and published again, keeps its image", async () => {
  const copy = await publish(OTHER, "v1");
  await publish(OWNER, "v1");
  registry.refusesRemoval = true;
  await remove(OTHER, [copy]);
  await publish(OTHER, "v1");
  registry.refusesRemoval = false;
  await remove(OWNER, [copy]);
  expect(await compare(OTHER, copy)).toBe("same");
});

test("a mark that the registry accepts and loses is an error, and nothing was published", async () => {
  registry.rule = (method, path) =>
    method === "PUT" && path.includes("/docs-hosting-owner-") ? 201 : undefined;
  await expect(publish(OWNER, "v1")).rejects.toThrow("accepted the mark");
  expect(left()).toEqual([]);
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

test("an image that the registry does not remove keeps its mark, also where marks can be removed", async () => {
  const copy = await publish(OWNER, "v1");
  registry.rule = (method, path) => (method === "DELETE" && path.endsWith(digestIn(copy)) ? 405 : undefined);
  await remove(OWNER, [copy]);
  expect(lines.warn).toEqual([expect.stringContaining("stays, with its mark")]);
  expect(left().some((name) => name.startsWith("docs-hosting-owner-") && name.endsWith(OWNER.id))).toBe(true);
  registry.rule = undefined;
  await remove(OWNER, [copy]);
  expect(left()).toEqual([]);
});

test.each([
  ["stops for an owner who came meanwhile", true],
  ["goes on if nobody came", false],
])(
  "a removal that takes longer than its list of tags is proof lists them again, and %s",
  async (_, comes) => {
    storeIndex(registry, "1.30", [storeBase(registry, "amd64")]);
    const base = `${registry.host}/nginx:1.30`;
    const copy = await publish(OWNER, "v1", { base });
    const before = new Map(registry.manifests);
    await publish(OTHER, "v1", { base });
    const mark = [...registry.manifests].filter(([name]) => !before.has(name));
    for (const [name] of mark) registry.manifests.delete(name);
    let now = 0;
    registry.rule = (method) => {
      if (method !== "DELETE" || now > 0) return undefined;
      now = 31_000;
      if (comes) for (const [name, manifest] of mark) registry.manifests.set(name, manifest);
      return undefined;
    };
    const context = await as(OWNER);
    const clock = { ...context.clock, monotonic: () => now };
    const removal = place().release([copy], { ...context, clock });
    if (comes) await expect(removal).rejects.toThrow("is published by another resource while it is removed");
    else await removal;
    const others = mark.some(([name]) => registry.manifests.has(name));
    expect(others).toBe(comes);
  },
);

test("an image without its mark is found, and is marked again without being sent", async () => {
  const copy = await publish(OWNER, "v1", { tag: "latest" });
  for (const name of left()) if (name.endsWith(OWNER.id)) registry.manifests.delete(name);
  expect(await compare(OWNER, copy, "latest")).toBe("unmarked");
  registry.requests.length = 0;
  await place("latest").claim([copy], await as(OWNER));
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

test("of two owners who claimed a tag for one image, the one who did not claim it last is refused when it moves the tag", async () => {
  const [first, second] = [await publish(OWNER, "v1", { tag: "latest" }), await as(OTHER)];
  expect(digestIn(first)).toBeDefined();
  const rival = { repository, tag: "latest" };
  await copySite(rival, { files: { "index.html": "v1" }, context: second });
  expect(left().filter((name) => name.startsWith("docs-hosting-owner-"))).toHaveLength(2);
  await expect(publish(OWNER, "v2", { tag: "latest", earlier: [first] })).rejects.toThrow("belongs to");
});

test("a tag that another owner of the image claims stays when its former owner leaves, as after a rename", async () => {
  const copy = await publish(OWNER, "v1", { tag: "latest" });
  await publish(OTHER, "v1", { tag: "latest" });
  await remove(OWNER, [copy], "latest");
  expect(named("latest")).toBe(digestIn(copy));
});

test("the last claim of a tag counts, also that of a killed create of the same resource", async () => {
  await publish(OTHER, "v1", { tag: "latest" });
  const killed = { ...otherOwner(), urn: OWNER.urn };
  await publish(killed, "v1", { tag: "latest", takeOver: true });
  // of the same URN in a state of its own, it is another's
  await expect(place("latest").check([], await as(OWNER))).rejects.toThrow("belongs to");
  await place("latest").check([], { ...(await as(OWNER)), isCreate: true });
  expect(lines.warn.at(-1)).toContain("is taken over");
});

test("the refusal of a tag names all who claim it, the last one first", async () => {
  await publish(OTHER, "v1", { tag: "latest" });
  const third = otherOwner();
  await publish(third, "v1", { tag: "latest", takeOver: true });
  const refusal = new RegExp(`belongs to ${third.urn}.*, ${OTHER.urn}`);
  await expect(publish(OWNER, "v2", { tag: "latest" })).rejects.toThrow(refusal);
});

test("a tag that is removed while its owner is looked for is looked at again, and free", async () => {
  const copy = await publish(OTHER, "v1", { tag: "latest" });
  let isRemoved = false;
  registry.rule = (_method, path) => {
    if (!isRemoved && path.endsWith("/tags/list")) {
      isRemoved = true;
      const marks = left().filter((name) => name.startsWith("docs-hosting-owner-"));
      for (const name of [digestIn(copy), "latest", ...marks]) registry.manifests.delete(name);
    }
    return undefined;
  };
  await expect(publish(OWNER, "v2", { tag: "latest" })).resolves.toBeDefined();
});

test("a tag that the registry accepts and loses is an error, and the next run moves it", async () => {
  const first = await publish(OWNER, "v1", { tag: "latest" });
  registry.rule = (method, path) => (method === "PUT" && path.endsWith("/latest") ? 201 : undefined);
  await expect(publish(OWNER, "v2", { tag: "latest", earlier: [first] })).rejects.toThrow("accepted the tag");
  registry.rule = undefined;
  const second = await publish(OWNER, "v2", { tag: "latest", earlier: [first] });
  expect(named("latest")).toBe(digestIn(second));
});

test("a mark that the registry does not confirm leaves nothing when it is written again and removed", async () => {
  let looks = 0;
  registry.rule = (method, path) =>
    method === "HEAD" && path.includes("/docs-hosting-owner-") && looks++ === 1 ? 404 : undefined;
  const copy = await publish(OWNER, "v1");
  registry.rule = undefined;
  await remove(OWNER, [copy]);
  expect(left()).toEqual([]);
});

test("the announcement of a removal that was killed goes with the next one, also if the mark is gone", async () => {
  const copy = await publish(OWNER, "v1");
  await killedRemoval(OWNER, copy);
  for (const name of left()) if (name.startsWith("docs-hosting-owner-")) registry.manifests.delete(name);
  await remove(OWNER, [copy]);
  expect(left().filter((name) => name.startsWith("docs-hosting-"))).toEqual([]);
});

test.each([1, 2, 3])(
  "of a removal that is killed at its step %d, the last one leaves nothing",
  async (step) => {
    const copy = await publish(OWNER, "v1");
    let removals = 0;
    await killedRemoval(OWNER, copy, () => ++removals === step);
    // nothing but the marks is known, as after a refresh that found the image gone
    await remove(OWNER, []);
    expect(left()).toEqual([]);
  },
);

test("of two owners that give an image up at once, one removes it, also if the other has seen its mark", async () => {
  const copy = await publish(OWNER, "v1");
  await publish(OTHER, "v1");
  let isDone = false;
  let removing: Promise<void> | undefined;
  registry.rule = (method) => {
    // the first has decided that the image stays for the other
    if (method !== "DELETE" || isDone) return undefined;
    isDone = true;
    removing = remove(OTHER, [copy]);
    return undefined;
  };
  await remove(OWNER, [copy]);
  await removing;
  expect(left()).toEqual([]);
});

test("an image that another owner removes before it has the mark of an interrupted run is an error", async () => {
  const copy = await publish(OWNER, "v1");
  registry.rule = (method, path) => {
    if (method === "PUT" && path.includes("-owner-")) registry.manifests.delete(digestIn(copy));
    return undefined;
  };
  await expect(place().claim([copy], await as(OTHER))).rejects.toThrow("was removed by somebody else");
});

test("a removal that is killed while it gives an image up does not leave its tag to nobody", async () => {
  const copy = await publish(OWNER, "v1", { tag: "latest" });
  await publish(OTHER, "v1", { tag: "prod" });
  const isOfMark = (): boolean => !left().includes("latest");
  await killedRemoval(OWNER, copy, isOfMark, "latest");
  expect(left().some((name) => name.startsWith("docs-hosting-owner-") && name.endsWith(OWNER.id))).toBe(true);
  await place("latest").check([], { ...(await as(otherOwner())), isCreate: true });
  await remove(OWNER, [copy], "latest");
  expect(left().some((name) => name.includes(OWNER.id))).toBe(false);
});

test("a mark whose image is gone is named, if the tags cannot be listed", async () => {
  const copy = await publish(OWNER, "v1");
  registry.manifests.delete(digestIn(copy));
  registry.rule = (_method, path) => (path.endsWith("/tags/list") ? 403 : undefined);
  await remove(OWNER, [copy]);
  expect(lines.warn).toEqual([expect.stringContaining("its owners cannot be listed")]);
});

test("an image that also has a mark of a stack of the same name stays, with a warning", async () => {
  const copy = await publish(OWNER, "v1");
  await publish({ ...otherOwner(), urn: OWNER.urn }, "v1");
  await remove(OWNER, [copy]);
  expect(lines.warn).toEqual([expect.stringContaining("of a stack of the same name in another backend")]);
});

test("the owner of a tag is the one whose copy an import adopts: its first run takes the tag over", async () => {
  await publish(OTHER, "v1", { tag: "latest" });
  const adopts = await place("latest").ownerNow?.(await as(OWNER));
  expect(adopts).toBe(OTHER.id);
  await place("latest").check([], { ...(await as(OWNER)), adopts });
  expect(lines.info.at(-1)).toContain("is taken over");
  expect(await place("stable").ownerNow?.(await as(OWNER))).toBe("");
  expect(await place().ownerNow?.(await as(OWNER))).toBe("");
});

test("an announcement that the registry does not show yet is removed with its mark", async () => {
  const copy = await publish(OWNER, "v1");
  registry.rule = (method, path) =>
    method === "GET" && path.includes("/docs-hosting-leaving-") ? 404 : undefined;
  await remove(OWNER, [copy]);
  expect(left()).toEqual([]);
});

test("after a removal that was killed, a replacement takes its tag over", async () => {
  const copy = await publish(OWNER, "v1", { tag: "latest" });
  await killedRemoval(OWNER, copy);
  const successor = { ...otherOwner(), urn: OWNER.urn };
  await place("latest").check([], { ...(await as(successor)), isCreate: true });
  expect(lines.info.join("\n")).toContain(":latest is taken over");
  const other = { ...(await as(OTHER)), isCreate: true };
  await expect(place("latest").check([], other)).rejects.toThrow("that this resource did not publish");
});

test("a removal that another resource announced leaves it no right at the tag", async () => {
  const copy = await publish(OTHER, "v1", { tag: "latest" });
  await killedRemoval(OTHER, copy);
  const own = { ...(await as(OWNER)), isCreate: true };
  await expect(place("latest").check([], own)).rejects.toThrow("that this resource did not publish");
});

describe("a proxy's 404 in place of the registry's answer is no proof:", () => {
  const page = { status: 404, headers: { "content-type": "text/html" }, body: Buffer.from("<h1>404</h1>") };
  const answers = (isAsked: (method: string, path: string) => boolean): void => {
    registry.rule = (method, path) => (isAsked(method, path) ? page : undefined);
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
    const image = registry.manifests.get(digestIn(copy));
    if (image) registry.manifests.set("stable", image);
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

test("an image whose removal the registry confirms and does not do stays with its mark, and a warning", async () => {
  const copy = await publish(OWNER, "v1");
  registry.rule = (method, path) => (method === "DELETE" && path.endsWith(digestIn(copy)) ? 202 : undefined);
  await remove(OWNER, [copy]);
  expect(lines.warn).toEqual([
    expect.stringMatching(
      / stays, with its mark: sha256:\w+ \(it confirms the removal, and does not do it\)/,
    ),
  ]);
  registry.rule = undefined;
  await remove(OWNER, [copy]);
  expect(left()).toEqual([]);
});

test("a mark whose removal the registry confirms and does not do is named", async () => {
  const copy = await publish(OWNER, "v1");
  registry.rule = (method, path) => (method === "DELETE" && !path.endsWith(digestIn(copy)) ? 202 : undefined);
  await remove(OWNER, [copy]);
  expect(lines.warn).toEqual([expect.stringMatching(/the mark .*docs-hosting-owner-.* stays/)]);
});

test("the mark of a killed create stays with a warning, if the create that followed could not take it over", async () => {
  const killed = { ...otherOwner(), urn: OWNER.urn };
  const first = await publish(killed, "v1");
  registry.rule = (method, path) => (method === "GET" && path.includes("/tags/list") ? 403 : undefined);
  const second = await publish(OWNER, "v2");
  registry.rule = undefined;
  await remove(OWNER, [first], undefined, [second]);
  expect(lines.warn).toEqual([expect.stringContaining("or of a run that was killed")]);
  expect(left()).toContain(digestIn(first));
});

test.each([
  ["the newest first", 0],
  ["the oldest first", 1],
])("a destroy warns of it, too, %s", async (_, at) => {
  const first = await publish({ ...otherOwner(), urn: OWNER.urn }, "v1");
  const second = await publish(OWNER, "v2");
  await remove(OWNER, at === 0 ? [second, first] : [first, second]);
  expect(lines.warn).toEqual([expect.stringContaining("or of a run that was killed")]);
});

test("the mark of the resource that replaced this one is a line", async () => {
  const copy = await publish(OWNER, "v1");
  const successor = { ...(await as({ ...otherOwner(), urn: OWNER.urn })), isCreate: true };
  await copySite({ repository }, { files: { "index.html": "v1" }, context: successor });
  await remove(OWNER, [copy]);
  expect(lines.warn).toEqual([]);
  expect(lines.info.at(-1)).toContain("it belongs to the resource that replaces this one");
});

test("who gives an image up that stays for another owner takes its earlier tag along, too", async () => {
  const copy = await publish(OWNER, "v1", { tag: "latest" });
  await publish(OWNER, "v1", { tag: "stable", earlier: [copy] });
  await publish(OTHER, "v1", { tag: "prod" });
  await remove(OWNER, [copy], "stable");
  expect(left().filter((name) => ["latest", "stable", "prod"].includes(name))).toEqual(["prod"]);
});

test("a mark that reads do not show yet is not written a second time: nothing of it is left", async () => {
  await publish({ ...otherOwner(), urn: OWNER.urn }, "v1");
  let writes = 0;
  registry.rule = (method, path) => {
    const isOwn = path.includes("-owner-") && path.endsWith(OWNER.id);
    if (isOwn && method === "PUT") writes += 1;
    return isOwn && method === "GET" ? 404 : undefined;
  };
  const given = await as(OWNER);
  let nowMs = given.clock.now();
  const clock = Object.assign(Object.create(given.clock) as typeof given.clock, {
    now: () => (nowMs += 1_000),
  });
  const context = { ...given, clock, isCreate: true };
  const copy = await copySite({ repository }, { files: { "index.html": "v1" }, context });
  expect(writes).toBe(1);
  registry.rule = undefined;
  await remove(OWNER, [copy]);
  expect(left()).toEqual([]);
});
