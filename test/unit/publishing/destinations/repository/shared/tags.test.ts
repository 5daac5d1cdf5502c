// Tags in a repository of several resources: whose a tag is, and what it names.
import { describe, expect, test } from "vitest";
import type { Copy } from "../../../../../../provider/publishing/destinations/destination.ts";
import { newOwner } from "../../../../../../provider/publishing/ownership/owner.ts";
import { BUNDLE } from "../../../../../simulation/copiedBundle.ts";
import { otherOwner, OWNER } from "../../../../../simulation/owners.ts";
import { newSigner } from "../../../../../simulation/signedImage.ts";
import { copySite } from "../repositoryCopies.ts";
import { OTHER, OTHER_NAME, sharedRepository } from "./sharedRepository.ts";

const shared = sharedRepository();
const { as, digestIn, place, publish, remove, killedRemoval, compare, left, named } = shared;

describe.each([
  ["an image", undefined],
  ["a signed image", { signer: newSigner(), origin: { bundle: BUNDLE } }],
] as const)("%s", (_, signing) => {
  const signed = signing && { signing };

  test("with another resource's tag is refused before anything is written, and taken over if that is asked for", async () => {
    const theirs = await publish(OTHER, "theirs", { tag: "latest", ...signed });
    const before = left();
    await expect(place("latest").check([], await as(OWNER))).rejects.toThrow(
      `the tag ${shared.repository}:latest belongs to ${OTHER_NAME}`,
    );
    expect(left()).toEqual(before);
    await place("latest").check([], { ...(await as(OWNER)), takeOver: true });
    expect(shared.lines.warn).toEqual([
      expect.stringContaining("it is taken over, because `takeOver` is set"),
    ]);
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
  if (!isTaken) {
    return expect(check).rejects.toThrow(`the tag ${shared.repository}:latest belongs to ${OTHER_NAME}`);
  }
  await check;
  expect(shared.lines.info).toEqual([expect.stringContaining("is taken over")]);
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
  const image = shared.registry.manifests.get(digestIn(theirs));
  if (image) shared.registry.manifests.set("latest", image);
  await expect(publish(OWNER, "ours", { tag: "latest" })).rejects.toThrow(
    "names an image that this resource did not publish",
  );
  expect(named("latest")).toBe(digestIn(theirs));
});

test("of two owners who claimed a tag for one image, the one who did not claim it last is refused when it moves the tag", async () => {
  const [first, second] = [await publish(OWNER, "v1", { tag: "latest" }), await as(OTHER)];
  expect(digestIn(first)).toBeDefined();
  const rival = { repository: shared.repository, tag: "latest" };
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
  expect(shared.lines.warn.at(-1)).toContain("is taken over");
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
  shared.registry.rule = (_method, path) => {
    if (!isRemoved && path.endsWith("/tags/list")) {
      isRemoved = true;
      const marks = left().filter((name) => name.startsWith("docs-hosting-owner-"));
      for (const name of [digestIn(copy), "latest", ...marks]) shared.registry.manifests.delete(name);
    }
    return undefined;
  };
  await expect(publish(OWNER, "v2", { tag: "latest" })).resolves.toBeDefined();
});

test("a tag that the registry accepts and loses is an error, and the next run moves it", async () => {
  const first = await publish(OWNER, "v1", { tag: "latest" });
  shared.registry.rule = (method, path) => (method === "PUT" && path.endsWith("/latest") ? 201 : undefined);
  await expect(publish(OWNER, "v2", { tag: "latest", earlier: [first] })).rejects.toThrow("accepted the tag");
  shared.registry.rule = undefined;
  const second = await publish(OWNER, "v2", { tag: "latest", earlier: [first] });
  expect(named("latest")).toBe(digestIn(second));
});

test("a tag that another resource moves back at the same time is moved again", async () => {
  const first = await publish(OWNER, "v1", { tag: "latest" });
  const before = shared.registry.manifests.get("latest");
  let moves = 0;
  shared.registry.rule = (method, path) => {
    const isMove = method === "PUT" && path.endsWith("/latest") && moves++ === 0;
    return isMove ? 201 : undefined; // it has the former image again
  };
  const second = await publish(OWNER, "v2", { tag: "latest", earlier: [first] });
  expect(moves).toBe(2);
  expect(before).toBeDefined();
  expect(named("latest")).toBe(digestIn(second));
});

describe("a tag that another resource moves in the same moment", () => {
  /** What the tag names, from the first time on that it was given. */
  const movedTo = (copy: Copy, moves = Infinity): void => {
    let sent = 0;
    shared.registry.rule = (method, path) => {
      if (!path.endsWith("/manifests/prod")) return undefined;
      if (method === "PUT") sent += 1;
      const image = shared.registry.manifests.get(digestIn(copy));
      if (method !== "PUT" && image && sent > 0 && sent <= moves) {
        shared.registry.manifests.set("prod", image);
      }
      return undefined;
    };
  };

  test("is not called this resource's: the run fails, and says that the image is there", async () => {
    movedTo(await publish(OTHER, "v2"));
    const failure: unknown = await publish(OWNER, "v1", { tag: "prod" }).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      message: expect.stringContaining("names an image that this resource did not publish") as string,
      remedy: expect.stringMatching(/^The image is there, without this tag\. /) as string,
    });
  });

  test("is not called this resource's after a take-over, either", async () => {
    movedTo(await publish(OTHER, "v2"));
    await expect(publish(OWNER, "v1", { tag: "prod", takeOver: true })).rejects.toThrow("accepted the tag");
  });

  test("is taken over again with `takeOver`", async () => {
    movedTo(await publish(OTHER, "v2"), 1);
    const copy = await publish(OWNER, "v1", { tag: "prod", takeOver: true });
    expect(named("prod")).toBe(digestIn(copy));
  });
});

test("the owner of a tag is the one whose copy an import adopts: its first run takes the tag over", async () => {
  await publish(OTHER, "v1", { tag: "latest" });
  const adopts = await place("latest").ownerNow?.(await as(OWNER));
  expect(adopts).toBe(OTHER.id);
  await place("latest").check([], { ...(await as(OWNER)), adopts });
  expect(shared.lines.info.at(-1)).toContain("is taken over");
  expect(await place("stable").ownerNow?.(await as(OWNER))).toBe("");
  expect(await place().ownerNow?.(await as(OWNER))).toBe("");
});

test("who gives an image up that stays for another owner takes its earlier tag along, too", async () => {
  const copy = await publish(OWNER, "v1", { tag: "latest" });
  await publish(OWNER, "v1", { tag: "stable", earlier: [copy] });
  await publish(OTHER, "v1", { tag: "prod" });
  await remove(OWNER, [copy], "stable");
  expect(left().filter((name) => ["latest", "stable", "prod"].includes(name))).toEqual(["prod"]);
});

test("after a removal that was killed, a replacement takes its tag over", async () => {
  const copy = await publish(OWNER, "v1", { tag: "latest" });
  await killedRemoval(OWNER, copy);
  const successor = { ...otherOwner(), urn: OWNER.urn };
  await place("latest").check([], { ...(await as(successor)), isCreate: true });
  expect(shared.lines.info.join("\n")).toContain(":latest is taken over");
  const other = { ...(await as(OTHER)), isCreate: true };
  await expect(place("latest").check([], other)).rejects.toThrow("that this resource did not publish");
});

test("a removal that another resource announced leaves it no right at the tag", async () => {
  const copy = await publish(OTHER, "v1", { tag: "latest" });
  await killedRemoval(OTHER, copy);
  const own = { ...(await as(OWNER)), isCreate: true };
  await expect(place("latest").check([], own)).rejects.toThrow("that this resource did not publish");
});
