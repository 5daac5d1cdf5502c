// Images of a site in a registry that is in memory: what is stored, in which order, and what is removed.
import fetch, { Response } from "node-fetch";
import { describe, expect, test } from "vitest";
import type {
  Copy,
  DestinationContext,
} from "../../../../../provider/publishing/destinations/destination.ts";
import { BUNDLE } from "../../../../simulation/copiedBundle.ts";
import { OWNER } from "../../../../simulation/owners.ts";
import { storeBase, storeIndex } from "../../../../simulation/registryStub.ts";
import { copySite, operation, SITE } from "./repositoryCopies.ts";
import {
  digestIn,
  EMPTY,
  listOf,
  manifestsIn,
  markOf,
  ownTag,
  sha256,
  testRepository,
} from "./testRepository.ts";

const at = testRepository();
const { destination, read, written, blobsRead } = at;

describe("a site without a base", () => {
  test("is one image under its digest and a tag of its own", async () => {
    const placed: Copy[] = [];
    const copy = await copySite({ repository: at.repository }, { placing: (each) => placed.push(each) });
    expect(copy).toEqual({
      sha256: BUNDLE.sha256,
      uri: `${at.repository}@${digestIn(copy)}`,
      image: copy.uri,
      parts: { manifests: [digestIn(copy)], files: listOf(copy) },
    });
    expect(placed).toEqual([copy]);
    expect(written()).toEqual([markOf(copy), ownTag(copy)]);
    expect(read(digestIn(copy))).toMatchObject({
      annotations: {
        "org.opencontainers.image.title": "docs.example.com",
        "docs-hosting.bundle.sha256": BUNDLE.sha256,
      },
    });
    expect(destination().id).toBe(at.repository);
  });

  test("has the edition that it was begun with, and a tag that leads to the newest", async () => {
    const edition = "cd".repeat(32);
    const copy = await copySite({ repository: at.repository, tag: "latest" }, { edition });
    expect(copy.sha256).toBe(edition);
    expect(written()).toEqual([markOf(copy), ownTag(copy), "latest"]);
    const next = await copySite(
      { repository: at.repository, tag: "latest" },
      { files: { "index.html": "new" } },
    );
    expect(at.registry.manifests.get("latest")).toEqual(at.registry.manifests.get(digestIn(next)));
  });

  test("is not sent a second time", async () => {
    const options = { repository: at.repository, tag: "latest" };
    const copy = await copySite(options);
    at.registry.requests.length = 0;
    expect(await copySite(options)).toEqual(copy);
    expect(at.registry.requests.filter((each) => !/^(GET|HEAD) /.test(each))).toEqual([]);
  });

  test("reports its progress", async () => {
    const context = await operation();
    await copySite({ repository: at.repository }, { context });
    expect(context.reporter.lines.progress.at(-1)).toMatch(/uploading$/);
  });

  const FILES = Object.entries(SITE).map(([path, text]) => [path, sha256(text)] as const);

  test("is read again by the list of its files, which the mark of its owner keeps: no layer is downloaded", async () => {
    const copy = await copySite({ repository: at.repository });
    at.registry.requests.length = 0;
    expect(await destination().read(copy, await operation())).toEqual({ files: new Map(FILES) });
    expect(blobsRead()).toEqual([listOf(copy).digest]);
    at.registry.manifests.clear();
    expect(await destination().read(copy, await operation())).toBeUndefined();
  });

  test.each<[string, (list: string, copy: Copy) => unknown]>([
    ["is gone", (list) => at.registry.blobs.delete(list)],
    ["is damaged", (list) => at.registry.blobs.set(list, Buffer.from("{}"))],
    ["is refused", (list) => (at.registry.rule = (_, path) => (path.endsWith(list) ? 403 : undefined))],
    ["is in no state, as of earlier versions", (_, { parts }) => delete (parts as { files?: unknown }).files],
  ])("is read from its layer if the list %s: also which files are made of others", async (_, harm) => {
    const copy = await copySite({ repository: at.repository });
    harm(listOf(copy).digest, copy);
    expect(await destination().read(copy, await operation())).toEqual({
      files: new Map([...FILES, ["index.html.gz", expect.any(String)]]),
      derived: new Set(["index.html.gz"]),
    });
  });

  test("has its list also after its mark was gone, unless the registry has the list no longer", async () => {
    const copy = await copySite({ repository: at.repository });
    for (const layer of [listOf(copy).digest, EMPTY]) {
      at.registry.manifests.delete(markOf(copy));
      await destination().claim([copy], await operation());
      expect(read(markOf(copy))).toMatchObject({ layers: [{ digest: layer }] });
      at.registry.blobs.delete(layer);
    }
  });

  test("has a mark without the list in a registry that refuses such content", async () => {
    let refusals = 0;
    at.registry.rule = (method, path) =>
      method === "PUT" && path.includes("/docs-hosting-owner-") && refusals++ === 0 ? 400 : undefined;
    const copy = await copySite({ repository: at.repository });
    expect(read(markOf(copy))).toMatchObject({ layers: [{ digest: EMPTY }] });
    expect(await destination().compare(copy, await operation())).toBe("same");
  });

  test("is compared by its manifest and its tag", async () => {
    const copy = await copySite({ repository: at.repository, tag: "latest" });
    const tagged = destination({ tag: "latest" });
    expect(await tagged.compare(copy, await operation())).toBe("same");
    await copySite({ repository: at.repository, tag: "latest" }, { files: { "index.html": "new" } });
    expect(await tagged.compare(copy, await operation())).toBe("changed");
    expect(await destination().compare(copy, await operation())).toBe("same");
    at.registry.manifests.delete("latest");
    expect(await tagged.compare(copy, await operation())).toBe("changed");
    at.registry.manifests.delete(ownTag(copy));
    expect(await destination().compare(copy, await operation())).toBe("same");
    at.registry.manifests.delete(digestIn(copy));
    expect(await tagged.compare(copy, await operation())).toBe("gone");
  });
});

describe("a removal", () => {
  test("removes the manifests of a copy, its index first, and none that a kept copy needs", async () => {
    storeIndex(at.registry, "1.30", [storeBase(at.registry, "amd64")]);
    const old = await copySite({ repository: at.repository, base: `${at.registry.host}/nginx:1.30` });
    const kept = await copySite({ repository: at.repository });
    at.registry.requests.length = 0;
    await destination().prune([old, kept], [kept], await operation());
    // what is announced and the mark last
    expect(written("DELETE").slice(0, -2)).toEqual(manifestsIn(old));
    expect([...at.registry.manifests.keys()].filter((key) => key.endsWith(OWNER.id))).toEqual([markOf(kept)]);
    expect(await destination().compare(old, await operation())).toBe("gone");
    expect(await destination().compare(kept, await operation())).toBe("same");
    const again = await operation();
    await destination().prune([old], [kept], again);
    expect(again.reporter.lines.warn).toEqual([]);
  });

  test("that the registry does not allow is a warning that names what stays; the marks stay", async () => {
    const copies = [
      await copySite({ repository: at.repository }),
      await copySite({ repository: at.repository }, { files: { "a.txt": "a" } }),
    ];
    at.registry.refusesRemoval = true;
    at.registry.requests.length = 0;
    const context = await operation();
    await destination().release(copies, context);
    expect(context.reporter.lines.warn).toEqual(
      copies.map((copy) => {
        const digest = digestIn(copy);
        return (
          `the registry ${at.registry.host} does not remove images: ${copy.uri} stays, with its mark: ${digest} ` +
          `(DELETE http://${at.registry.host}/v2/docs/site/manifests/${digest} answered 405). ` +
          "Remove them there, or let the registry's account delete images."
        );
      }),
    );
    for (const copy of copies) {
      expect(at.registry.manifests.has(markOf(copy))).toBe(true);
      expect(await destination().compare(copy, await operation())).toBe("unmarked");
    }
  });
});

test("each operation asks for the rights that it needs, and for no more", async () => {
  const scopes: string[][] = [];
  const context = async () => ({
    ...(await operation()),
    fetch: ((url, init) => {
      const { authorization } = init.headers as Record<string, string | undefined>;
      const { host, searchParams } = new URL(url);
      if (host === "auth.internal") {
        scopes.push(searchParams.getAll("scope"));
        return Promise.resolve(new Response('{"token":"t0ken"}'));
      }
      if (authorization !== undefined || url.startsWith("https:")) return fetch(url, init);
      const headers = { "www-authenticate": 'Bearer realm="http://auth.internal/"' };
      return Promise.resolve(new Response("", { status: 401, headers }));
    }) satisfies DestinationContext["fetch"],
  });
  const copy = await copySite({ repository: at.repository }, { context: await context() });
  await destination().compare(copy, await context());
  await destination().read(copy, await context());
  await destination().find(digestIn(copy), await context());
  await destination().release([copy], await context());
  expect(scopes).toEqual(
    ["pull,push", "pull", "pull", "pull", "pull", "pull,push", "pull,push,delete"].map((rights) => [
      `repository:docs/site:${rights}`,
    ]),
  );
});

test.each([
  [{}],
  [{ manifests: "sha256:1" }],
  [{ manifests: [] }],
  [{ manifests: ["../../../v2/"] }],
  [{ manifests: [`sha256:${"0".repeat(64)}`, 7] }],
])("a state that does not list the manifests, such as %j, is an error before any request", async (parts) => {
  const copy = { sha256: BUNDLE.sha256, uri: `${at.repository}@x`, parts };
  const context = await operation();
  for (const work of [
    () => destination().compare(copy, context),
    () => destination().read(copy, context),
    () => destination().release([copy], context),
  ]) {
    await expect(work()).rejects.toMatchObject({
      message: `the state does not list the manifests of ${at.repository}@x`,
      remedy: "Run `pulumi up` with another `version`: it makes a new copy.",
    });
  }
  expect(at.registry.requests).toEqual([]);
});
