import { expect, test } from "vitest";
import { digestOf } from "../../../../../provider/base/runtime/values/digest.ts";
import { contentOf } from "../../../../../provider/publishing/images/registry/content.ts";
import {
  deleteManifest,
  existingManifest,
  findManifest,
  getManifest,
  putManifest,
} from "../../../../../provider/publishing/images/registry/manifests.ts";
import { scriptedRegistry } from "./scriptedRegistry.ts";

const OCI_INDEX = "application/vnd.oci.image.index.v1+json";
const OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const MANIFEST = contentOf(OCI_MANIFEST, { mediaType: OCI_MANIFEST });
const { digest, bytes } = MANIFEST;
const OTHER = `sha256:${"b".repeat(64)}`;
const NAME = "registry.internal/docs/site";
const ACCEPT =
  "application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json, " +
  "application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json";

const announcing = (announced: string): Record<string, string> => ({ "docker-content-digest": announced });

test("a tag is found with its digest, from the header or, without a usable one, from the bytes", async () => {
  const named = scriptedRegistry(() => ({ headers: announcing(OTHER) }));
  expect(await findManifest(named.client, "v1")).toBe(OTHER);
  expect(named.lines()).toEqual(["HEAD manifests/v1"]);
  for (const headers of [{}, announcing("sha512:1")]) {
    const { client, lines } = scriptedRegistry(({ method }) =>
      method === "HEAD" ? { headers } : { body: bytes },
    );
    expect(await findManifest(client, "v1")).toBe(digest);
    expect(lines()).toEqual(["HEAD manifests/v1", "GET manifests/v1"]);
  }
});

test("a digest that is there is found without its bytes", async () => {
  const { client, lines } = scriptedRegistry(() => ({}));
  expect(await findManifest(client, digest)).toBe(digest);
  expect(lines()).toEqual([`HEAD manifests/${digest}`]);
});

test("nothing is found where nothing is, also if it vanishes in between", async () => {
  const none = scriptedRegistry(() => ({ status: 404 }));
  expect(await findManifest(none.client, "v1")).toBeUndefined();
  expect(await getManifest(none.client, "v1")).toBeUndefined();
  const vanishing = scriptedRegistry(({ method }) => ({ status: method === "HEAD" ? 200 : 404 }));
  expect(await findManifest(vanishing.client, "v1")).toBeUndefined();
});

test("all requests accept manifests and indexes, in both vocabularies", async () => {
  const { client, requests } = scriptedRegistry(() => ({ body: bytes }));
  await findManifest(client, "v1");
  expect(requests.map(({ headers }) => headers["accept"])).toEqual([ACCEPT, ACCEPT]);
});

test.each([
  [OCI_INDEX, OCI_INDEX],
  [`${OCI_INDEX.toUpperCase()}; charset=utf-8`, OCI_INDEX],
  [`  ${OCI_INDEX} ;`, OCI_INDEX],
  ["application/json", OCI_MANIFEST],
  [undefined, OCI_MANIFEST],
])("of a manifest with the header %j and a type of its own, the type is %s", async (header, mediaType) => {
  const { client } = scriptedRegistry(() => ({
    body: bytes,
    ...(header !== undefined && { headers: { "content-type": header } }),
  }));
  expect(await getManifest(client, "v1")).toEqual({ digest, mediaType, bytes });
});

test.each([
  ["application/json", "application/json"],
  [undefined, ""],
])("a manifest without a type of its own has that of the header %j", async (header, mediaType) => {
  const { client } = scriptedRegistry(() => ({
    body: { mediaType: 1 },
    ...(header !== undefined && { headers: { "content-type": header } }),
  }));
  expect(await getManifest(client, "v1")).toMatchObject({ mediaType });
});

test("a manifest has the bytes of the requested digest, and of the digest that the registry announces", async () => {
  const fine = scriptedRegistry(() => ({ body: bytes, headers: announcing(digest) }));
  expect(await getManifest(fine.client, digest)).toMatchObject({ digest });
  const { client } = scriptedRegistry(() => ({ body: bytes, headers: announcing(OTHER) }));
  const said = `the registry gave something else for ${NAME}@${OTHER}: its digest is ${digest}`;
  await expect(getManifest(client, "v1")).rejects.toThrow(said);
  const silent = scriptedRegistry(() => ({ body: bytes }));
  await expect(getManifest(silent.client, OTHER)).rejects.toThrow(said);
});

test("an image that is not there is an error with its name", async () => {
  const { client } = scriptedRegistry(() => ({ status: 404 }));
  await expect(existingManifest(client, "v1")).rejects.toThrow(`there is no image ${NAME}:v1`);
  await expect(existingManifest(client, OTHER)).rejects.toThrow(`there is no image ${NAME}@${OTHER}`);
  const there = scriptedRegistry(() => ({ body: bytes }));
  expect(await existingManifest(there.client, "v1")).toMatchObject({ digest });
});

test("a manifest is stored under its digest, or under a tag that has another one", async () => {
  const { client, lines, requests } = scriptedRegistry(({ line }) =>
    line.startsWith("PUT")
      ? { status: 201, headers: announcing(digest) }
      : line.endsWith("v1")
        ? { headers: announcing(OTHER) }
        : { status: 404 },
  );
  await putManifest(client, MANIFEST);
  await putManifest(client, MANIFEST, "v1");
  expect(lines()).toEqual([
    `HEAD manifests/${digest}`,
    `PUT manifests/${digest}`,
    "HEAD manifests/v1",
    "PUT manifests/v1",
  ]);
  expect(requests[3]).toMatchObject({ headers: { "content-type": OCI_MANIFEST }, body: bytes });
});

test("a manifest that is there is not stored again", async () => {
  const { client, lines } = scriptedRegistry(() => ({ headers: announcing(digest) }));
  await putManifest(client, MANIFEST, "v1");
  expect(lines()).toEqual(["HEAD manifests/v1"]);
});

test.each([
  [OTHER, OTHER],
  ["sha512:1", "unusable"],
])("a registry that stored a manifest as %s is an error", async (announced, said) => {
  const { client } = scriptedRegistry(({ method }) =>
    method === "HEAD" ? { status: 404 } : { status: 201, headers: announcing(announced) },
  );
  await expect(putManifest(client, MANIFEST)).rejects.toThrow(
    `something else for ${NAME}@${digest}: its digest is ${said}`,
  );
});

test("a registry that does not say what it stored is believed", async () => {
  const { client } = scriptedRegistry(({ method }) => ({ status: method === "HEAD" ? 404 : 201 }));
  await expect(putManifest(client, MANIFEST)).resolves.toBeUndefined();
});

const unsupported = { errors: [{ code: "UNSUPPORTED" }] };

test.each([
  [202, "", undefined],
  [204, "", undefined],
  [404, "", undefined],
  [405, "", { isGeneral: true }],
  [400, unsupported, { isGeneral: false }],
  [405, unsupported, { isGeneral: true }],
])("a removal that is answered with %d and %j is refused: %j", async (status, body, refused) => {
  const { client, lines } = scriptedRegistry(({ method }) =>
    method === "DELETE" ? { status, ...(body !== "" && { body }) } : { status: 404 },
  );
  const found = await deleteManifest(client, digest);
  if (refused === undefined) expect(found).toBeUndefined();
  else expect(found).toMatchObject({ digest, ...refused });
  // what is confirmed is looked at
  const looks = status < 300 ? [`HEAD manifests/${digest}`] : [];
  expect(lines()).toEqual([`DELETE manifests/${digest}`, ...looks]);
});

test("a removal that is refused for good has the registry's reason", async () => {
  const errors = [{ code: "DENIED", message: "it is immutable" }];
  const { client } = scriptedRegistry(() => ({ status: 400, body: { errors } }));
  expect(await deleteManifest(client, digest)).toEqual({
    digest,
    reason: `DELETE https://registry.internal/v2/docs/site/manifests/${digest} answered 400: DENIED: it is immutable`,
    isGeneral: false,
  });
});

test.each([401, 403])("without a login, a removal that is answered with %d is an error", async (status) => {
  const { client } = scriptedRegistry(() => ({ status }));
  await expect(deleteManifest(client, digest)).rejects.toThrow(`answered ${status}`);
});

test("a registry that refuses HEAD is asked for the manifest itself", async () => {
  const { client, lines } = scriptedRegistry(({ method }) =>
    method === "HEAD" ? { status: 405 } : { headers: announcing(digest), body: bytes },
  );
  expect(await findManifest(client, "v1")).toBe(digest);
  expect(lines()).toEqual(["HEAD manifests/v1", "GET manifests/v1"]);
});

test("a digest is that of the bytes", () => {
  expect(digestOf(Buffer.from(""))).toBe(
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  );
});
