// Registries whose tags are immutable, as ECR and Harbor have them: a tag that exists is never moved.
import { beforeEach, expect, test } from "vitest";
import type { RegistryRule } from "../../../../../simulation/memoryRegistry.ts";
import { OWNER } from "../../../../../simulation/owners.ts";
import { OTHER, sharedRepository } from "./sharedRepository.ts";

const shared = sharedRepository();
const { digestIn, publish, remove, compare, left, killedRemoval } = shared;

/** @param status ECR answers 400, Harbor 412 */
const immutable =
  (status = 400): RegistryRule =>
  (method, path) => {
    const [, tag] = /\/manifests\/([^:]+)$/.exec(path) ?? [];
    if (method !== "PUT" || tag === undefined || !shared.registry.manifests.has(tag)) return undefined;
    const message = `The image tag '${tag}' already exists and cannot be overwritten because the tag is immutable.`;
    return { status, body: { errors: [{ code: "TAG_INVALID", message }] } };
  };
/** Harbor's rule also refuses to remove what such a tag names. */
const unremovable: RegistryRule = (method, path, ...more) =>
  method === "DELETE"
    ? { status: 412, body: { errors: [{ code: "PRECONDITION", message: "immutable" }] } }
    : immutable(412)(method, path, ...more);

beforeEach(() => {
  shared.registry.rule = immutable();
});

test.each([400, 412])(
  "the same image gets another tag where a moved tag is refused with %d",
  async (status) => {
    shared.registry.rule = immutable(status);
    await publish(OWNER, "v1", { tag: "a" });
    const copy = await publish(OWNER, "v1", { tag: "b" });
    expect(await compare(OWNER, copy, "b")).toBe("same");
    await remove(OWNER, [copy], "b");
    expect([shared.lines.warn, left()]).toEqual([[], []]);
  },
);

test("a removal after one that was killed leaves nothing", async () => {
  const copy = await publish(OWNER, "v1");
  await killedRemoval(OWNER, copy);
  shared.registry.rule = immutable();
  await remove(OWNER, [copy]);
  expect([shared.lines.warn, left()]).toEqual([[], []]);
});

test("an image that was given up by a killed removal is published again, and counts", async () => {
  const copy = await publish(OWNER, "v1");
  await killedRemoval(OWNER, copy);
  shared.registry.rule = immutable();
  await publish(OWNER, "v1");
  expect(await compare(OWNER, copy)).toBe("same");
  await publish(OTHER, "v1");
  await remove(OTHER, [copy]);
  expect(await compare(OWNER, copy)).toBe("same");
});

test("where nothing can be removed, either, images stay with their marks, a warning says why, and the stack ends", async () => {
  shared.registry.rule = unremovable;
  const first = await publish(OWNER, "v1");
  const second = await publish(OWNER, "v2", { earlier: [first] });
  await remove(OWNER, [first], undefined, [second]);
  for (let destroys = 0; destroys < 2; destroys++) await remove(OWNER, [second]);
  expect(shared.lines.warn.at(-1)).toMatch(
    / stays, with its mark, because the registry neither moves nor removes the tag \S+:docs-hosting-leaving-.* Exempt the tags `docs-hosting-\*`/,
  );
  expect(left()).toContain(digestIn(second));
});

test("where nothing can be removed, either, the same image gets another tag, and a warning says what its mark lacks", async () => {
  shared.registry.rule = unremovable;
  await publish(OWNER, "v1", { tag: "a" });
  const copy = await publish(OWNER, "v1", { tag: "b" });
  expect(await compare(OWNER, copy, "b")).toBe("same");
  expect(shared.lines.warn).toEqual([
    expect.stringMatching(/^the mark \S+:docs-hosting-owner-\S+ stays as it is, .*Exempt the tags/),
  ]);
});

test("a mark is not removed because the account may not push, or the registry fails", async () => {
  for (const status of [403, 401]) {
    shared.registry.rule = undefined;
    const copy = await publish(OWNER, "v1", { tag: "a" });
    shared.registry.rule = (method, path) =>
      method === "PUT" && path.includes("/docs-hosting-owner-") ? status : undefined;
    await expect(publish(OWNER, "v1", { tag: "b" })).rejects.toThrow(`answered ${status}`);
    expect(await compare(OWNER, copy, "a")).toBe("same");
  }
});
