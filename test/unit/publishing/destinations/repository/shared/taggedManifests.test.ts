// Registries that remove no manifest which a tag names, as those of Google: a removal takes the owner's tags first.
import { beforeEach, expect, test } from "vitest";
import { BUNDLE } from "../../../../../simulation/copiedBundle.ts";
import { digestOf } from "../../../../../simulation/memoryRegistry.ts";
import { OWNER } from "../../../../../simulation/owners.ts";
import { newSigner } from "../../../../../simulation/signedImage.ts";
import { OTHER, sharedRepository } from "./sharedRepository.ts";

const shared = sharedRepository();
const { as, digestIn, place, publish, remove, compare, left, named } = shared;

/** A tag is removed by its name. */
const onlyUntagged = (): void => {
  shared.registry.rule = (method, path) => {
    const [, name = ""] = /\/manifests\/(sha256:.+)$/.exec(path) ?? [];
    if (method !== "DELETE" || name === "") return undefined;
    const tag = left().find((key) => {
      const body = shared.registry.manifests.get(key)?.body;
      return !key.startsWith("sha256:") && body !== undefined && digestOf(body) === name;
    });
    if (tag === undefined) return undefined;
    const message = `Manifest is still referenced by tag: ${tag}`;
    return { status: 400, body: { errors: [{ code: "GOOGLE_MANIFEST_DANGLING_TAG", message }] } };
  };
};
beforeEach(onlyUntagged);

test("nothing is left of a copy with a tag, nor of one that has two", async () => {
  const copy = await publish(OWNER, "v1", { tag: "latest" });
  await publish(OWNER, "v1", { tag: "stable", earlier: [copy] });
  await remove(OWNER, [copy], "stable");
  expect([shared.lines.warn, left()]).toEqual([[], []]);
});

test("nothing is left of a signed copy", async () => {
  const copy = await publish(OWNER, "v1", { signing: { signer: newSigner(), origin: { bundle: BUNDLE } } });
  await remove(OWNER, [copy]);
  expect([shared.lines.warn, left()]).toEqual([[], []]);
});

test("a removal that was killed between the tags and the image is ended by the next one", async () => {
  const copy = await publish(OWNER, "v1", { tag: "latest" });
  const kill = new AbortController();
  const { rule } = shared.registry;
  shared.registry.rule = (method, path, ...more) => {
    if (method !== "DELETE" || left().includes("latest")) return rule?.(method, path, ...more);
    kill.abort(new Error("killed"));
    return 500;
  };
  const removal = place("latest").release([copy], { ...(await as(OWNER)), signal: kill.signal });
  await expect(removal).rejects.toThrow("killed");
  expect(left()).toContain(digestIn(copy));
  onlyUntagged();
  await remove(OWNER, [copy], "latest");
  expect([shared.lines.warn, left()]).toEqual([[], []]);
});

test("the tags of an image that another owner has, too, and the tags of people stay", async () => {
  const copy = await publish(OWNER, "v1", { tag: "staging" });
  await publish(OTHER, "v1", { tag: "prod" });
  await remove(OWNER, [copy], "staging");
  expect(named("prod")).toBe(digestIn(copy));
  expect(await compare(OTHER, copy, "prod")).toBe("same");
  const image = shared.registry.manifests.get(digestIn(copy));
  if (image) shared.registry.manifests.set("audit-2026", image);
  await remove(OTHER, [copy], "prod");
  expect(named("audit-2026")).toBe(digestIn(copy));
});

test("a tag that is refused to go, too, keeps the image with its mark", async () => {
  const copy = await publish(OWNER, "v1", { tag: "latest" });
  const { rule } = shared.registry;
  shared.registry.rule = (method, path, ...more) =>
    method === "DELETE" && !path.includes("/sha256:") ? 403 : rule?.(method, path, ...more);
  await remove(OWNER, [copy], "latest");
  expect(shared.lines.warn).toEqual([expect.stringContaining("GOOGLE_MANIFEST_DANGLING_TAG")]);
  expect(left().some((name) => name.startsWith("docs-hosting-owner-"))).toBe(true);
  expect(named("latest")).toBe(digestIn(copy));
});
