// A proxy or a login page that answers in place of a registry, with 200: nothing is called there, stored or removed because of it.
import { expect, test } from "vitest";
import { hasBlob, lacksBlob, rangesOf } from "../../../../../provider/publishing/images/registry/blobs.ts";
import { contentOf } from "../../../../../provider/publishing/images/registry/content.ts";
import {
  deleteManifest,
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
