// Marks of owners in a repository: what they prove, and what happens where one is lost, forged or left over.
import { describe, expect, test } from "vitest";
import type { Copy } from "../../../../../../provider/publishing/destinations/destination.ts";
import { type Owner } from "../../../../../../provider/publishing/ownership/owner.ts";
import { digestOf } from "../../../../../simulation/memoryRegistry.ts";
import { otherOwner, OWNER } from "../../../../../simulation/owners.ts";
import { storeBase } from "../../../../../simulation/registryStub.ts";
import { copySite } from "../repositoryCopies.ts";
import { OTHER, sharedRepository } from "./sharedRepository.ts";

const shared = sharedRepository();
const { as, digestIn, place, publish, remove, compare, left, named } = shared;

describe("who may push and writes marks", () => {
  /** A manifest of others under a tag. */
  const forge = (tag: string, annotations: object): void => {
    const type = "application/vnd.oci.image.manifest.v1+json";
    const artifactType = "application/vnd.pulumi-docs-hosting.owner.v1+json";
    const body = Buffer.from(
      JSON.stringify({ schemaVersion: 2, mediaType: type, artifactType, annotations }),
    );
    shared.registry.manifests.set(tag, { type, body }).set(digestOf(body), { type, body });
  };
  const markTag = (kind: string, copy: Copy, owner: Owner): string =>
    `docs-hosting-${kind}-${digestIn(copy).slice(7, 23)}-${owner.id}`;

  test("with a foreign image in `earlier` does not have it removed", async () => {
    storeBase(shared.registry, "foreign");
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
    expect(shared.registry.manifests.has(foreign)).toBe(true);
  });

  test("for a foreign image in the name of an owner does not have it removed", async () => {
    storeBase(shared.registry, "foreign");
    const foreign = named("foreign") ?? "";
    const copy = await publish(OWNER, "v1");
    forge(`docs-hosting-owner-${foreign.slice(7, 23)}-${OWNER.id}`, {
      "pulumi-docs-hosting.owner": JSON.stringify({ owner: OWNER.id, urn: OWNER.urn }),
      "pulumi-docs-hosting.image": foreign,
    });
    await remove(OWNER, [copy]);
    expect(shared.registry.manifests.has(foreign)).toBe(true);
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
    storeBase(shared.registry, markTag("owner", copy, OWNER));
    const foreign = named(markTag("owner", copy, OWNER)) ?? "";
    await remove(OWNER, [copy]);
    expect(shared.registry.manifests.has(foreign)).toBe(true);
    expect(shared.lines.warn).toEqual([expect.stringContaining("it has no mark of this resource")]);
  });

  test("under the tag of a mark, while a publication fails, does not have a manifest removed that is no mark", async () => {
    storeBase(shared.registry, "foreign");
    const foreign = shared.registry.manifests.get("foreign");
    shared.registry.rule = (method, path) => {
      if (method !== "PUT" || !path.includes("/manifests/sha256-")) return undefined;
      const mark = left().find((name) => name.startsWith("docs-hosting-owner-"));
      if (mark !== undefined && foreign) shared.registry.manifests.set(mark, foreign);
      return 403;
    };
    await expect(publish(OWNER, "v1")).rejects.toThrow("answered 403");
    expect(shared.registry.manifests.has(named("foreign") ?? "removed")).toBe(true);
    expect(left().some((name) => name.startsWith("docs-hosting-owner-"))).toBe(true);
  });
});

test("a mark that the registry accepts and loses is an error, and nothing was published", async () => {
  shared.registry.rule = (method, path) =>
    method === "PUT" && path.includes("/docs-hosting-owner-") ? 201 : undefined;
  await expect(publish(OWNER, "v1")).rejects.toThrow("accepted the mark");
  expect(left()).toEqual([]);
});

test("an image without its mark is found, and is marked again without being sent", async () => {
  const copy = await publish(OWNER, "v1", { tag: "latest" });
  for (const name of left()) if (name.endsWith(OWNER.id)) shared.registry.manifests.delete(name);
  expect(await compare(OWNER, copy, "latest")).toBe("unmarked");
  shared.registry.requests.length = 0;
  await place("latest").claim([copy], await as(OWNER));
  expect(shared.registry.requests.filter((each) => each.startsWith("PUT"))).toEqual([
    expect.stringContaining("/manifests/docs-hosting-owner-"),
  ]);
  expect(await compare(OWNER, copy, "latest")).toBe("same");
  await remove(OWNER, [copy], "latest");
  expect(left().filter((name) => !name.startsWith("sha256:"))).toEqual([]);
});

test("a publication that fails before its image is there leaves no mark", async () => {
  shared.registry.rule = (method, path) =>
    method === "PUT" && path.includes("/manifests/sha256-") ? 403 : undefined;
  await expect(publish(OWNER, "v1")).rejects.toThrow("answered 403");
  expect(left()).toEqual([]);
});

test("a mark that the registry does not confirm leaves nothing when it is written again and removed", async () => {
  let looks = 0;
  shared.registry.rule = (method, path) =>
    method === "HEAD" && path.includes("/docs-hosting-owner-") && looks++ === 1 ? 404 : undefined;
  const copy = await publish(OWNER, "v1");
  shared.registry.rule = undefined;
  await remove(OWNER, [copy]);
  expect(left()).toEqual([]);
});

test("an image that another owner removes before it has the mark of an interrupted run is an error", async () => {
  const copy = await publish(OWNER, "v1");
  shared.registry.rule = (method, path) => {
    if (method === "PUT" && path.includes("-owner-")) shared.registry.manifests.delete(digestIn(copy));
    return undefined;
  };
  await expect(place().claim([copy], await as(OTHER))).rejects.toThrow("was removed by somebody else");
});

test("a mark whose image is gone is named, if the tags cannot be listed", async () => {
  const copy = await publish(OWNER, "v1");
  shared.registry.manifests.delete(digestIn(copy));
  shared.registry.rule = (_method, path) => (path.endsWith("/tags/list") ? 403 : undefined);
  await remove(OWNER, [copy]);
  expect(shared.lines.warn).toEqual([expect.stringContaining("its owners cannot be listed")]);
});

test("an image that also has a mark of a stack of the same name stays, with a warning", async () => {
  const copy = await publish(OWNER, "v1");
  await publish({ ...otherOwner(), urn: OWNER.urn }, "v1");
  await remove(OWNER, [copy]);
  expect(shared.lines.warn).toEqual([
    expect.stringContaining("of a stack of the same name in another backend"),
  ]);
});

test("a mark whose removal the registry confirms and does not do is named", async () => {
  const copy = await publish(OWNER, "v1");
  shared.registry.rule = (method, path) =>
    method === "DELETE" && !path.endsWith(digestIn(copy)) ? 202 : undefined;
  await remove(OWNER, [copy]);
  expect(shared.lines.warn).toEqual([expect.stringMatching(/the mark .*docs-hosting-owner-.* stays/)]);
});

test("the mark of a killed create stays with a warning, if the create that followed could not take it over", async () => {
  const killed = { ...otherOwner(), urn: OWNER.urn };
  const first = await publish(killed, "v1");
  shared.registry.rule = (method, path) =>
    method === "GET" && path.includes("/tags/list") ? 403 : undefined;
  const second = await publish(OWNER, "v2");
  shared.registry.rule = undefined;
  await remove(OWNER, [first], undefined, [second]);
  expect(shared.lines.warn).toEqual([expect.stringContaining("or of a run that was killed")]);
  expect(left()).toContain(digestIn(first));
});

test.each([
  ["the newest first", 0],
  ["the oldest first", 1],
])("a destroy warns of it, too, %s", async (_, at) => {
  const first = await publish({ ...otherOwner(), urn: OWNER.urn }, "v1");
  const second = await publish(OWNER, "v2");
  await remove(OWNER, at === 0 ? [second, first] : [first, second]);
  expect(shared.lines.warn).toEqual([expect.stringContaining("or of a run that was killed")]);
});

test("the mark of the resource that replaced this one is a line", async () => {
  const copy = await publish(OWNER, "v1");
  const successor = { ...(await as({ ...otherOwner(), urn: OWNER.urn })), isCreate: true };
  await copySite({ repository: shared.repository }, { files: { "index.html": "v1" }, context: successor });
  await remove(OWNER, [copy]);
  expect(shared.lines.warn).toEqual([]);
  expect(shared.lines.info.at(-1)).toContain("it belongs to the resource that replaces this one");
});

test("a mark that reads do not show yet is not written a second time: nothing of it is left", async () => {
  await publish({ ...otherOwner(), urn: OWNER.urn }, "v1");
  let writes = 0;
  shared.registry.rule = (method, path) => {
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
  const copy = await copySite({ repository: shared.repository }, { files: { "index.html": "v1" }, context });
  expect(writes).toBe(1);
  shared.registry.rule = undefined;
  await remove(OWNER, [copy]);
  expect(left()).toEqual([]);
});
