// A proxy or a login page that answers in place of a registry, with 200 or 404: nothing is called there, stored, missing or removed
// because of it.
import { expect, test } from "vitest";
import { hasBlob, lacksBlob, rangesOf } from "../../../../../provider/publishing/images/registry/blobs.ts";
import { contentOf } from "../../../../../provider/publishing/images/registry/content.ts";
import { findBlob } from "../../../../../provider/publishing/images/registry/download.ts";
import {
  deleteManifest,
  deleteTag,
  findManifest,
  getManifest,
  putManifest,
} from "../../../../../provider/publishing/images/registry/manifests.ts";
import { OCI_MANIFEST } from "../../../../../provider/publishing/images/registry/mediaTypes.ts";
import { uploadBlob } from "../../../../../provider/publishing/images/registry/upload.ts";
import { type Asked, type Reply, scriptedRegistry } from "./scriptedRegistry.ts";

const MANIFEST = contentOf(OCI_MANIFEST, { schemaVersion: 2 });
const { digest, bytes } = MANIFEST;

/** A page for the requests with a method. @param otherwise the registry's answer to the others */
const pageFor =
  (methods: readonly string[], otherwise: Reply = { status: 404 }) =>
  ({ method }: Asked): Reply => {
    if (!methods.includes(method)) return otherwise;
    const headers = { "content-type": "text/html; charset=utf-8" };
    return { status: 200, headers, ...(method !== "HEAD" && { body: "<title>Sign in</title>" }) };
  };

test("a page in place of a blob does not say that the registry has it", async () => {
  const { client } = scriptedRegistry(pageFor(["HEAD"]));
  expect([await hasBlob(client, digest), await lacksBlob(client, digest)]).toEqual([false, true]);
});

test("the answer of a registry that sends a blob as a page, with its digest, says that it is there", async () => {
  const headers = { "content-type": "text/html", "docker-content-digest": digest };
  const { client } = scriptedRegistry(() => ({ status: 200, headers }));
  expect(await hasBlob(client, digest)).toBe(true);
});

test("a blob without type and digest is there: registries need not name them", async () => {
  const { client } = scriptedRegistry(() => ({ status: 200 }));
  expect(await hasBlob(client, digest)).toBe(true);
});

test("a page in place of a manifest does not say that it is there: the manifest itself is read", async () => {
  const { client, lines } = scriptedRegistry(pageFor(["HEAD"], { body: bytes }));
  expect(await findManifest(client, digest)).toBe(digest);
  expect(lines()).toEqual([`HEAD manifests/${digest}`, `GET manifests/${digest}`]);
});

test("a page under a tag is no manifest", async () => {
  const { client } = scriptedRegistry(pageFor(["HEAD", "GET"]));
  await expect(findManifest(client, "latest")).rejects.toThrow(
    "was answered by something that is no registry",
  );
  await expect(getManifest(client, "latest")).rejects.toMatchObject({
    remedy: expect.stringContaining("A proxy or a login page") as string,
  });
});

test("a manifest whose upload a page answers is not stored", async () => {
  const { client } = scriptedRegistry(pageFor(["PUT"]));
  await expect(putManifest(client, MANIFEST)).rejects.toThrow("something that is no registry");
});

test("a manifest that is stored with 200 is there, if the registry then has it", async () => {
  let isStored = false;
  const { client } = scriptedRegistry(({ method }) => {
    if (method === "PUT") isStored = true;
    return { status: method === "PUT" || isStored ? 200 : 404 };
  });
  await expect(putManifest(client, MANIFEST)).resolves.toBeUndefined();
});

test("a blob whose upload a page answers is not stored", async () => {
  const begun = { status: 202, headers: { location: "/v2/docs/site/blobs/uploads/1" } };
  const { client } = scriptedRegistry((asked) => (asked.method === "POST" ? begun : pageFor(["PUT"])(asked)));
  const uploading = uploadBlob(client, { digest, size: bytes.length }, rangesOf(bytes), () => undefined);
  await expect(uploading).rejects.toThrow(`accepted ${digest}, and does not have it`);
});

test("an image whose removal a page answers is not removed", async () => {
  const { client } = scriptedRegistry(pageFor(["DELETE"], { status: 200 }));
  await expect(deleteManifest(client, digest)).rejects.toThrow(`the removal of ${digest}`);
});

test("a removal that is answered with 200 is done, if the registry then has no manifest", async () => {
  const { client, lines } = scriptedRegistry(({ method }) => ({ status: method === "DELETE" ? 200 : 404 }));
  expect(await deleteManifest(client, digest)).toBeUndefined();
  expect(lines()).toEqual([`DELETE manifests/${digest}`, `HEAD manifests/${digest}`]);
});

const NO_REGISTRY = "was answered by something that is no registry";
const GATEWAY = {
  status: 404,
  headers: { "content-type": "application/json" },
  body: '{"message":"no Route matched with those values"}',
};

test.each<[string, Reply]>([
  ["a page", { status: 404, headers: { "content-type": "text/html" }, body: "<h1>404 Not Found</h1>" }],
  ["the text of a router", { status: 404, body: "404 page not found" }],
  ["a gateway", GATEWAY],
  ["an object without errors", { status: 404, body: { errors: [] } }],
])("a 404 of %s does not say that there is no manifest, no tag and no blob", async (_, reply) => {
  const { client } = scriptedRegistry(() => reply);
  for (const name of [digest, "latest"]) {
    await expect(findManifest(client, name)).rejects.toThrow(NO_REGISTRY);
    await expect(getManifest(client, name)).rejects.toThrow(NO_REGISTRY);
  }
  await expect(findBlob(client, { digest, size: 1 })).rejects.toThrow(NO_REGISTRY);
  expect(await lacksBlob(client, digest)).toBe(false);
});

test("a 404 to HEAD without the name of the registry is asked again with GET, whose answer has a reason", async () => {
  const { client, lines } = scriptedRegistry(({ method }) =>
    method === "HEAD" ? { status: 404, headers: {} } : { status: 404 },
  );
  expect(await findManifest(client, "latest")).toBeUndefined();
  expect(lines()).toEqual(["HEAD manifests/latest", "GET manifests/latest"]);
});

test("a registry that gives no reasons is one by its root, which is asked once", async () => {
  const { client, lines } = scriptedRegistry(({ line }) =>
    line === "GET https://registry.internal/v2/" ? { body: "{}" } : { status: 404, headers: {} },
  );
  expect(await findManifest(client, "latest")).toBeUndefined();
  expect(await getManifest(client, digest)).toBeUndefined();
  expect(await lacksBlob(client, digest)).toBe(true);
  expect(lines().filter((line) => line.endsWith("/v2/"))).toHaveLength(1);
});

test.each<[string, Reply]>([
  ["a login page", { headers: { "content-type": "text/html" }, body: "<title>Sign in</title>" }],
  ["nothing", { status: 404, headers: {} }],
])("without reasons, and with %s at its root, it is no registry", async (_, root) => {
  const { client } = scriptedRegistry(({ line }) =>
    line.endsWith("/v2/") ? root : { status: 404, headers: {} },
  );
  await expect(findManifest(client, "latest")).rejects.toThrow(NO_REGISTRY);
});

test("a blob that the registry's own store does not have is missing", async () => {
  const error = "<Error><Code>NoSuchKey</Code></Error>";
  const { client } = scriptedRegistry(() => ({ status: 404, headers: {}, body: error }));
  expect(await lacksBlob(client, digest)).toBe(true);
});

test("a 404 of a proxy to a removal is not done: the registry still has the image, or is asked whether it has", async () => {
  const there = scriptedRegistry(({ method }) => (method === "DELETE" ? GATEWAY : { body: bytes }));
  await expect(deleteManifest(there.client, digest)).rejects.toThrow(`the removal of ${digest}`);
  const gone = scriptedRegistry(({ method }) => (method === "DELETE" ? GATEWAY : { status: 404 }));
  expect(await deleteManifest(gone.client, digest)).toBeUndefined();
  const proxy = scriptedRegistry(() => GATEWAY);
  await expect(deleteManifest(proxy.client, digest)).rejects.toThrow(NO_REGISTRY);
});

test("a tag whose removal a proxy answers with 404 is not removed", async () => {
  const { client } = scriptedRegistry(() => GATEWAY);
  expect(await deleteTag(client, "latest")).toBe(false);
  const registry = scriptedRegistry(() => ({ status: 404 }));
  expect(await deleteTag(registry.client, "latest")).toBe(true);
});

test("a removal that the registry confirms and does not do is asked for again, once", async () => {
  let removals = 0;
  const late = scriptedRegistry(({ method }) => {
    if (method !== "DELETE") return removals < 2 ? { body: bytes } : { status: 404 };
    removals += 1;
    return { status: 202 };
  });
  expect(await deleteManifest(late.client, digest)).toBeUndefined();
  expect(removals).toBe(2);
  const never = scriptedRegistry(({ method }) => (method === "DELETE" ? { status: 202 } : { body: bytes }));
  expect(await deleteManifest(never.client, digest)).toEqual({
    digest,
    reason: "it confirms the removal, and does not do it",
    isGeneral: false,
  });
  expect(never.lines().filter((line) => line.startsWith("DELETE"))).toHaveLength(2);
});

const LOGIN = { headers: { "content-type": "text/html" }, body: "<title>Sign in</title>" };

test.each<[string, Reply]>([
  ["a page with 410", { ...LOGIN, status: 410 }],
  ["a proxy that wants a login", { ...LOGIN, status: 407 }],
  ["a network that wants a login", { ...LOGIN, status: 511 }],
  [
    "a redirect to a login page",
    { ...LOGIN, status: 301, headers: { location: "https://login.example.net/" } },
  ],
  ["a login page as a part", { ...LOGIN, status: 206 }],
  [
    "a page with 404 that calls itself JSON",
    { ...LOGIN, status: 404, headers: { "content-type": "application/json" } },
  ],
])("%s says nothing of a manifest, a tag, a blob or a removal", async (_, reply) => {
  const { client } = scriptedRegistry(({ line, method }) => {
    const page = line.includes("login.example.net") ? LOGIN : reply;
    return method === "HEAD" ? { ...page, body: "" } : page;
  });
  for (const name of [digest, "latest"]) {
    await expect(findManifest(client, name)).rejects.toThrow();
    await expect(getManifest(client, name)).rejects.toThrow();
  }
  await expect(putManifest(client, MANIFEST)).rejects.toThrow();
  expect(await lacksBlob(client, digest).catch(() => false)).toBe(false);
  expect(await hasBlob(client, digest).catch(() => false)).toBe(false);
  const removed = await deleteManifest(client, digest).catch((error: unknown) => error);
  expect(removed).toBeDefined(); // refused, or not known
});
