// Images of a site in a registry that is in memory: what is stored, in which order, and what is removed.
import { createHash } from "node:crypto";
import fetch, { Response } from "node-fetch";
import { beforeEach, describe, expect, test } from "vitest";
import { formatBytes } from "../../../../../provider/base/runtime/messages/formatBytes.ts";
import type {
  Copy,
  Destination,
  DestinationContext,
  Signing,
} from "../../../../../provider/publishing/destinations/destination.ts";
import { repositoryDestination } from "../../../../../provider/publishing/destinations/repository/repositoryDestination.ts";
import { verifierFrom } from "../../../../../provider/publishing/images/signing/verifier.ts";
import { BUNDLE } from "../../../../simulation/copiedBundle.ts";
import { OWNER } from "../../../../simulation/owners.ts";
import {
  type RegistryStub,
  startRegistryStub,
  storeBase,
  storeIndex,
} from "../../../../simulation/registryStub.ts";
import { newSigner } from "../../../../simulation/signedImage.ts";
import { copySite, operation, SITE } from "./repositoryCopies.ts";

let registry: RegistryStub;
let repository: string;
beforeEach(async (context) => {
  registry = await startRegistryStub(context);
  repository = `${registry.host}/docs/site`;
});

const digestIn = ({ uri }: Copy): string => uri.split("@")[1] ?? "";
const ownTag = (copy: Copy): string =>
  digestIn(copy)
    .replace(":", "-")
    .slice(0, "sha256-".length + 16);
const markOf = (copy: Copy, kind = "owner"): string =>
  `docs-hosting-${kind}-${ownTag(copy).slice("sha256-".length)}-${OWNER.id}`;
const listOf = ({ parts }: Copy): { digest: string } => parts["files"] as { digest: string };
/** The digest of an empty configuration. */
const EMPTY = `sha256:${createHash("sha256").update("{}").digest("hex")}`;
/** The digests of the blobs that were downloaded. */
const blobsRead = (): string[] =>
  registry.requests
    .filter((each) => each.startsWith("GET ") && each.includes("/blobs/"))
    .map((each) => each.split("/blobs/")[1] ?? "");
const manifestsIn = ({ parts }: Copy): string[] => parts["manifests"] as string[];
const destination = (more: object = {}): Destination => repositoryDestination({ repository, ...more });
const read = (name: string): Record<string, unknown> =>
  JSON.parse(String(registry.manifests.get(name)?.body)) as Record<string, unknown>;
/** The stored manifests and removals, in order. */
const written = (method = "PUT"): string[] =>
  registry.requests
    .filter((each) => each.startsWith(`${method} `) && each.includes("/manifests/"))
    .map((each) => each.split("/manifests/")[1] ?? "");
const sentBlobs = (): number =>
  registry.requests.filter((each) => each.startsWith("PUT ") && each.includes("/blobs/")).length;
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("a site without a base", () => {
  test("is one image under its digest and a tag of its own", async () => {
    const placed: Copy[] = [];
    const copy = await copySite({ repository }, { placing: (each) => placed.push(each) });
    expect(copy).toEqual({
      sha256: BUNDLE.sha256,
      uri: `${repository}@${digestIn(copy)}`,
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
    expect(destination().id).toBe(repository);
  });

  test("has the edition that it was begun with, and a tag that leads to the newest", async () => {
    const edition = "cd".repeat(32);
    const copy = await copySite({ repository, tag: "latest" }, { edition });
    expect(copy.sha256).toBe(edition);
    expect(written()).toEqual([markOf(copy), ownTag(copy), "latest"]);
    const next = await copySite({ repository, tag: "latest" }, { files: { "index.html": "new" } });
    expect(registry.manifests.get("latest")).toEqual(registry.manifests.get(digestIn(next)));
  });

  test("is not sent a second time", async () => {
    const options = { repository, tag: "latest" };
    const copy = await copySite(options);
    registry.requests.length = 0;
    expect(await copySite(options)).toEqual(copy);
    expect(registry.requests.filter((each) => !/^(GET|HEAD) /.test(each))).toEqual([]);
  });

  test("reports its progress", async () => {
    const context = await operation();
    await copySite({ repository }, { context });
    expect(context.reporter.lines.progress.at(-1)).toMatch(/uploading$/);
  });

  const FILES = Object.entries(SITE).map(([path, text]) => [path, sha256(text)] as const);

  test("is read again by the list of its files, which the mark of its owner keeps: no layer is downloaded", async () => {
    const copy = await copySite({ repository });
    registry.requests.length = 0;
    expect(await destination().read(copy, await operation())).toEqual({ files: new Map(FILES) });
    expect(blobsRead()).toEqual([listOf(copy).digest]);
    registry.manifests.clear();
    expect(await destination().read(copy, await operation())).toBeUndefined();
  });

  test.each<[string, (list: string, copy: Copy) => unknown]>([
    ["is gone", (list) => registry.blobs.delete(list)],
    ["is damaged", (list) => registry.blobs.set(list, Buffer.from("{}"))],
    ["is refused", (list) => (registry.rule = (_, path) => (path.endsWith(list) ? 403 : undefined))],
    ["is in no state, as of earlier versions", (_, { parts }) => delete (parts as { files?: unknown }).files],
  ])("is read from its layer if the list %s: also which files are made of others", async (_, harm) => {
    const copy = await copySite({ repository });
    harm(listOf(copy).digest, copy);
    expect(await destination().read(copy, await operation())).toEqual({
      files: new Map([...FILES, ["index.html.gz", expect.any(String)]]),
      derived: new Set(["index.html.gz"]),
    });
  });

  test("has its list also after its mark was gone, unless the registry has the list no longer", async () => {
    const copy = await copySite({ repository });
    for (const layer of [listOf(copy).digest, EMPTY]) {
      registry.manifests.delete(markOf(copy));
      await destination().claim([copy], await operation());
      expect(read(markOf(copy))).toMatchObject({ layers: [{ digest: layer }] });
      registry.blobs.delete(layer);
    }
  });

  test("has a mark without the list in a registry that refuses such content", async () => {
    let refusals = 0;
    registry.rule = (method, path) =>
      method === "PUT" && path.includes("/docs-hosting-owner-") && refusals++ === 0 ? 400 : undefined;
    const copy = await copySite({ repository });
    expect(read(markOf(copy))).toMatchObject({ layers: [{ digest: EMPTY }] });
    expect(await destination().compare(copy, await operation())).toBe("same");
  });

  test("is compared by its manifest and its tag", async () => {
    const copy = await copySite({ repository, tag: "latest" });
    const tagged = destination({ tag: "latest" });
    expect(await tagged.compare(copy, await operation())).toBe("same");
    await copySite({ repository, tag: "latest" }, { files: { "index.html": "new" } });
    expect(await tagged.compare(copy, await operation())).toBe("changed");
    expect(await destination().compare(copy, await operation())).toBe("same");
    registry.manifests.delete("latest");
    expect(await tagged.compare(copy, await operation())).toBe("changed");
    registry.manifests.delete(ownTag(copy));
    expect(await destination().compare(copy, await operation())).toBe("same");
    registry.manifests.delete(digestIn(copy));
    expect(await tagged.compare(copy, await operation())).toBe("gone");
  });
});

describe("a site on a base", () => {
  const LINUX = (architecture: string) => ({ os: "linux", architecture });

  test("is an index of an image for each platform, whose manifests come first", async () => {
    const images = ["amd64", "arm64"].map((each) => storeBase(registry, each, {}, LINUX(each)));
    const digest = storeIndex(registry, "1.30", images);
    registry.requests.length = 0;
    const placed: Copy[] = [];
    const base = `${registry.host}/nginx:1.30`;
    const copy = await copySite({ repository, base }, { placing: (each) => placed.push(each) });
    const [top = "", ...others] = manifestsIn(copy);
    expect(top).toBe(digestIn(copy));
    expect(others).toHaveLength(2);
    expect(written()).toEqual([markOf(copy), ...others, ownTag(copy)]);
    expect(placed).toEqual([copy]);
    expect(read(top)).toMatchObject({
      manifests: others.map((each, at) => ({ digest: each, platform: LINUX(["amd64", "arm64"][at] ?? "") })),
      annotations: {
        "org.opencontainers.image.base.name": base,
        "org.opencontainers.image.base.digest": digest,
      },
    });
    expect(sentBlobs()).toBe(5); // the site, its list, a configuration for each platform, and the empty one of the mark
    const { files } = await destination().find(top, await operation());
    expect([...(files?.keys() ?? [])]).toEqual(["index.html", "guide/a.html", "index.html.gz"]);
  });

  test("is an index where the base is one, even of one image; else it is an image", async () => {
    storeIndex(registry, "1.30", [storeBase(registry, "amd64")]);
    const copy = await copySite({ repository, base: `${registry.host}/nginx:1.30` });
    expect(manifestsIn(copy)).toHaveLength(2);
    const single = await copySite({ repository, base: `${registry.host}/nginx:amd64` });
    expect(manifestsIn(single)).toHaveLength(1);
    expect(written().at(-1)).toBe(ownTag(single));
  });

  test("in the same registry mounts the layers of the base", async () => {
    storeBase(registry, "1.30");
    const mounts: string[] = [];
    const layer = (read("1.30") as { layers: { digest: string }[] }).layers[0]?.digest ?? "";
    registry.rule = (method, path, query) => {
      if (method === "HEAD" && path.endsWith(`docs/site/blobs/${layer}`)) return 404;
      if (!query.has("mount")) return undefined;
      mounts.push(`${query.get("mount")} from ${query.get("from")}`);
      return 201;
    };
    await copySite({ repository, base: `${registry.host}/nginx:1.30` });
    expect(mounts).toEqual([`${layer} from nginx`]);
    expect(registry.requests).not.toContain(`GET /v2/nginx/blobs/${layer}`);
  });

  test("in another registry sends the layers of the base", async (context) => {
    const other = await startRegistryStub(context);
    storeBase(other, "1.30");
    const mounts: string[] = [];
    registry.rule = (_method, path, query) => {
      if (query.has("mount")) mounts.push(path);
      return undefined;
    };
    const operated = await operation();
    const copy = await copySite({ repository, base: `${other.host}/nginx:1.30` }, { context: operated });
    const { layers } = read(digestIn(copy)) as { layers: { digest: string; size: number }[] };
    expect(mounts).toEqual([]);
    expect(operated.reporter.lines.progress[0]).toContain(
      `of ${formatBytes(layers.reduce((sum, { size }) => sum + size, 0))} · `,
    );
    expect(layers.map(({ digest }) => registry.blobs.has(digest))).toEqual([true, true]);
    expect(sentBlobs()).toBe(5);
    expect(other.requests.filter((each) => !/^(GET|HEAD) /.test(each))).toEqual([]);
  });

  test("leaves out other systems, with a warning, and needs one for Linux", async () => {
    const windows = { os: "windows", architecture: "amd64" };
    const [linux, other] = [storeBase(registry, "l"), storeBase(registry, "w", {}, windows)];
    storeIndex(registry, "both", [other, linux]);
    const context = await operation();
    const base = `${registry.host}/nginx:both`;
    const copy = await copySite({ repository, base }, { context });
    expect(manifestsIn(copy)).toHaveLength(2);
    expect(context.reporter.lines.warn).toEqual([
      `the base ${base} has images for other systems than Linux: the copy has none for them`,
    ]);
    const quiet = await operation();
    await copySite({ repository, base: `${registry.host}/nginx:l` }, { context: quiet });
    expect(quiet.reporter.lines.warn).toEqual([]);
    registry.requests.length = 0;
    await expect(copySite({ repository, base: `${registry.host}/nginx:w` })).rejects.toMatchObject({
      message: `the base ${registry.host}/nginx:w has no image for Linux`,
      remedy: "Name another one as `base`.",
    });
    expect(registry.requests.filter((each) => !/^(GET|HEAD) /.test(each))).toEqual([]);
  });
});

describe("a removal", () => {
  test("removes the manifests of a copy, its index first, and none that a kept copy needs", async () => {
    storeIndex(registry, "1.30", [storeBase(registry, "amd64")]);
    const old = await copySite({ repository, base: `${registry.host}/nginx:1.30` });
    const kept = await copySite({ repository });
    registry.requests.length = 0;
    await destination().prune([old, kept], [kept], await operation());
    // what is announced and the mark last
    expect(written("DELETE").slice(0, -2)).toEqual(manifestsIn(old));
    expect([...registry.manifests.keys()].filter((key) => key.endsWith(OWNER.id))).toEqual([markOf(kept)]);
    expect(await destination().compare(old, await operation())).toBe("gone");
    expect(await destination().compare(kept, await operation())).toBe("same");
    const again = await operation();
    await destination().prune([old], [kept], again);
    expect(again.reporter.lines.warn).toEqual([]);
  });

  test("that the registry does not allow is a warning that names what stays; the marks stay", async () => {
    const copies = [
      await copySite({ repository }),
      await copySite({ repository }, { files: { "a.txt": "a" } }),
    ];
    registry.refusesRemoval = true;
    registry.requests.length = 0;
    const context = await operation();
    await destination().release(copies, context);
    expect(context.reporter.lines.warn).toEqual(
      copies.map((copy) => {
        const digest = digestIn(copy);
        return (
          `the registry ${registry.host} does not remove images: ${copy.uri} stays, with its mark: ${digest} ` +
          `(DELETE http://${registry.host}/v2/docs/site/manifests/${digest} answered 405). ` +
          "Remove them there, or let the registry's account delete images."
        );
      }),
    );
    for (const copy of copies) {
      expect(registry.manifests.has(markOf(copy))).toBe(true);
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
  const copy = await copySite({ repository }, { context: await context() });
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
  const copy = { sha256: BUNDLE.sha256, uri: `${repository}@x`, parts };
  const context = await operation();
  for (const work of [
    () => destination().compare(copy, context),
    () => destination().read(copy, context),
    () => destination().release([copy], context),
  ]) {
    await expect(work()).rejects.toMatchObject({
      message: `the state does not list the manifests of ${repository}@x`,
      remedy: "Run `pulumi up` with another `version`: it makes a new copy.",
    });
  }
  expect(registry.requests).toEqual([]);
});

describe("a signed copy", () => {
  const signer = newSigner();
  const signing: Signing = { signer, origin: { bundle: BUNDLE } };
  const artifactsIn = ({ parts }: Copy): string[] => parts["artifacts"] as string[];

  test("is there and signed before its own tag is", async () => {
    const placed: Copy[] = [];
    const copy = await copySite(
      { repository, tag: "latest" },
      { signing, placing: (each) => placed.push(each) },
    );
    expect(copy.publicKey).toBe(signer.publicKey);
    expect(artifactsIn(copy).length).toBeGreaterThan(2);
    expect(placed).toEqual([copy]);
    const order = written();
    expect(order.slice(0, 2)).toEqual([markOf(copy), digestIn(copy)]);
    expect(order.slice(-2)).toEqual([ownTag(copy), "latest"]);
    expect(order.length).toBeGreaterThan(4);
    expect(await destination({ tag: "latest" }).compare(copy, await operation())).toBe("same");
  });

  test("has changed without its own tag, and without its signature", async () => {
    const copy = await copySite({ repository }, { signing });
    const own = registry.manifests.get(ownTag(copy));
    registry.manifests.delete(ownTag(copy));
    expect(await destination().compare(copy, await operation())).toBe("changed");
    if (own) registry.manifests.set(ownTag(copy), own);
    expect(await destination().compare(copy, await operation())).toBe("same");
    registry.manifests.delete(`${digestIn(copy).replace(":", "-")}.sig`);
    expect(await destination().compare(copy, await operation())).toBe("changed");
  });

  test("is removed with its signature, and stays with it where it is kept", async () => {
    const copy = await copySite({ repository }, { signing });
    await destination().prune([copy], [copy], await operation());
    expect(await destination().compare(copy, await operation())).toBe("same");
    await destination().release([copy], await operation());
    expect([...registry.manifests.keys()]).toEqual([]);
  });

  test("whose signature cannot be stored has no tag", async () => {
    registry.rule = (method, path) => (method === "PUT" && path.endsWith(".sig") ? 403 : undefined);
    const placed: Copy[] = [];
    await expect(
      copySite({ repository, tag: "latest" }, { signing, placing: (each) => placed.push(each) }),
    ).rejects.toThrow(
      /^the signature of .*@sha256:.* could not be stored, so no tag points at it: .* answered 403$/,
    );
    expect(placed).toHaveLength(1);
    expect(
      [...registry.manifests.keys()].filter((name) => /^(latest|sha256-[0-9a-f]{16})$/.test(name)),
    ).toEqual([]);
  });

  test("with artifacts in the state that are no digests is compared without a request for them", async () => {
    const copy = await copySite({ repository }, { signing });
    const wrong = { ...copy, parts: { ...copy.parts, artifacts: ["../../x", 7] } };
    registry.requests.length = 0;
    await destination().compare(wrong, await operation());
    await destination().compare({ ...copy, parts: { ...copy.parts, artifacts: 7 } }, await operation());
    await destination().release([wrong], await operation());
    expect(registry.requests.filter((each) => !/^\w+ \/v2\/(docs\/site\/.+)?$/.test(each))).toEqual([]);
    expect(registry.manifests.has(`${digestIn(copy).replace(":", "-")}.sig`)).toBe(false);
  });

  test("is found by its key, and by no other", async () => {
    const copy = await copySite({ repository }, { signing });
    const verifier = verifierFrom(signer.publicKey);
    const found = await destination().find(digestIn(copy), await operation(), verifier);
    const { sha256: digest, ...rest } = copy;
    expect(found).toMatchObject({ copy: rest, isSigned: true, sha256: digest });
    const other = verifierFrom(newSigner().publicKey);
    const foreign = await destination().find(digestIn(copy), await operation(), other);
    expect(foreign.copy).toEqual({
      uri: copy.uri,
      image: copy.uri,
      parts: { manifests: manifestsIn(copy), files: listOf(copy) },
    });
    expect(foreign.isSigned).toBe(true);
  });
});

describe("a copy that is found without a state", () => {
  const find = async (digest: string) => destination().find(digest, await operation());

  test("has its files and its source, and is not signed", async () => {
    const copy = await copySite({ repository });
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
    const digest = storeIndex(registry, "1.30", [storeBase(registry, "amd64")]);
    const name = `${registry.host}/nginx`;
    for (const base of [`${name}:1.30`, `${name}@${digest}`]) {
      const copy = await copySite({ repository, base });
      const found = await find(digestIn(copy));
      expect(found.destination).toEqual({ base });
      expect(found.copy.parts).toEqual(copy.parts);
      expect(found.files?.size).toBe(3);
    }
  });

  test("whose images have different sites is refused", async () => {
    const [one, two] = [
      await copySite({ repository }),
      await copySite({ repository }, { files: { a: "b" } }),
    ];
    const platform = { os: "linux", architecture: "amd64" };
    const described = [one, two].map((copy) => ({ digest: digestIn(copy), platform }));
    const digest = storeIndex(registry, "mixed", described);
    await expect(find(digest)).rejects.toMatchObject({
      message: `the images in ${repository}@${digest} do not have the same site`,
      remedy: "It is no copy of this package. Make a new copy in this repository.",
    });
  });

  test.each([
    ["an index of nothing", () => storeIndex(registry, "none", [])],
    [
      "an image of others",
      () =>
        (storeBase(registry, "other", { "docs-hosting.bundle.sha256": "x" }) as { digest: string }).digest,
    ],
  ])("that is %s is refused", async (_what, store) => {
    const digest = store();
    await expect(find(digest)).rejects.toThrow(
      `${repository}@${digest} has no annotation docs-hosting.bundle.sha256`,
    );
  });
});
