import { beforeEach, expect, test } from "vitest";
import { DestinationError } from "../../../../../provider/base/runtime/messages/errors.ts";
import { digestOf } from "../../../../../provider/base/runtime/values/digest.ts";
import { contentOf } from "../../../../../provider/publishing/images/registry/content.ts";
import { listReferrers, referrersOf } from "../../../../../provider/publishing/images/registry/referrers.ts";
import { type Reply, type ScriptedRegistry, scriptedRegistry } from "./scriptedRegistry.ts";

const OCI_INDEX = "application/vnd.oci.image.index.v1+json";
const IMAGE = `sha256:${"a".repeat(64)}`;
const TAG = `sha256-${"a".repeat(64)}`;
const entry = (digit: string): ReferrerEntry => ({
  mediaType: "application/vnd.oci.image.manifest.v1+json",
  digest: `sha256:${digit.repeat(64)}`,
  size: 1,
  artifactType: "application/x",
});
interface ReferrerEntry {
  mediaType: string;
  digest: string;
  size: number;
  artifactType: string;
}
const [ONE, TWO, OLD, GONE] = [entry("1"), entry("2"), entry("3"), entry("4")];

/** What the registry has under the tag. */
let list: string | undefined;
beforeEach(() => {
  list = undefined;
});
const listed = (): unknown => JSON.parse(list ?? "null");

/** A registry whose API for referrers answers this. */
function answering(api: Reply): ScriptedRegistry {
  const registry = scriptedRegistry(({ line }) => {
    if (line === `GET referrers/${IMAGE}`) return api;
    if (line === `PUT manifests/${TAG}`) return { status: 201 };
    if (line.endsWith(`manifests/${TAG}`)) {
      if (list === undefined) return { status: 404 };
      const headers = {
        "content-type": OCI_INDEX,
        "docker-content-digest": digestOf(Buffer.from(list)),
      };
      return line.startsWith("HEAD") ? { headers } : { headers, body: list };
    }
    return { status: line.endsWith(GONE.digest) ? 404 : 200 };
  });
  return registry;
}

const written = ({ requests }: ScriptedRegistry): unknown[] =>
  requests.filter(({ method }) => method === "PUT").map(({ body }) => JSON.parse(String(body)) as unknown);
const manifests = (...entries: readonly unknown[]): object => ({
  schemaVersion: 2,
  mediaType: OCI_INDEX,
  manifests: entries,
});

test("a registry with the API keeps the list itself", async () => {
  const registry = answering({ body: { manifests: [] } });
  await listReferrers(registry.client, IMAGE, [ONE]);
  expect(registry.lines()).toEqual([`GET referrers/${IMAGE}`]);
  expect(registry.requests[0]?.headers["accept"]).toBe(OCI_INDEX);
});

test("all pages of the list are read, from addresses that the registry names", async () => {
  const pages: Readonly<Record<string, Reply>> = {
    [`GET referrers/${IMAGE}`]: {
      headers: { link: `</v2/docs/site/referrers/${IMAGE}?next=2>; rel="next"` },
      body: manifests(ONE),
    },
    [`GET referrers/${IMAGE}?next=2`]: { body: manifests(TWO) },
  };
  const registry = scriptedRegistry(({ line }) => pages[line] ?? { status: 404 });
  expect(await referrersOf(registry.client, IMAGE)).toEqual([ONE, TWO]);
  expect(registry.lines()).toEqual(Object.keys(pages));
});

test("a list whose pages do not end is an error", async () => {
  let page = 0;
  const registry = scriptedRegistry(() => ({
    headers: { link: `</v2/docs/site/referrers/${IMAGE}?next=${++page}>; rel="next"` },
    body: manifests(),
  }));
  await expect(referrersOf(registry.client, IMAGE)).rejects.toThrow("does not end after 200 pages");
});

test.each<[string, Reply]>([
  ["is missing", { status: 404 }],
  ["is refused", { status: 403 }],
  ["is no list", { body: "<html>" }],
  [
    "leads to itself",
    {
      headers: { link: `</v2/docs/site/referrers/${IMAGE}?next=2>; rel="next"` },
      body: manifests(TWO),
    },
  ],
])("a list whose second page %s is an error, and not the first page alone", async (_what, second) => {
  const registry = scriptedRegistry(({ line }) =>
    line === `GET referrers/${IMAGE}`
      ? { headers: { link: `<?next=2>; rel="next"` }, body: manifests(ONE) }
      : second,
  );
  await expect(referrersOf(registry.client, IMAGE)).rejects.toBeInstanceOf(DestinationError);
});

test.each<[string, Reply]>([
  ...[400, 403, 404, 405, 406, 501].map((status): [string, Reply] => [String(status), { status }]),
  ["a page", { body: "<html>" }],
  ["no list", { body: { manifests: {} } }],
])("a registry that answers %s has the list under a tag", async (_what, api) => {
  const registry = answering(api);
  await listReferrers(registry.client, IMAGE, [ONE, TWO]);
  expect(written(registry)).toEqual([manifests(ONE, TWO)]);
});

test("a failure of the API is no answer", async () => {
  await expect(listReferrers(answering({ status: 401 }).client, IMAGE, [ONE])).rejects.toThrow("401");
});

test("a list keeps its entries, except those that were removed or name no manifest", async () => {
  list = JSON.stringify(manifests(OLD, GONE, ONE, { digest: "../1" }, "text"));
  const registry = answering({ status: 404 });
  await listReferrers(registry.client, IMAGE, [ONE, TWO]);
  expect(written(registry)).toEqual([manifests(OLD, ONE, TWO)]);
  expect(registry.lines().filter((line) => !/ (manifests|referrers)\//.test(line))).toEqual([]);
});

test("a list that is complete is not written", async () => {
  list = JSON.stringify(manifests(ONE, GONE, TWO));
  const registry = answering({ status: 404 });
  await listReferrers(registry.client, IMAGE, [ONE, TWO]);
  expect(written(registry)).toEqual([]);
  expect(listed()).toEqual(manifests(ONE, GONE, TWO));
});

test("something else under the tag is not overwritten", async () => {
  list = contentOf("", { layers: [] }).bytes.toString();
  const registry = answering({ status: 404 });
  await expect(listReferrers(registry.client, IMAGE, [ONE])).rejects.toThrow(
    `registry.internal/docs/site:${TAG} is no list of referrers, as the tag's name says`,
  );
  expect(written(registry)).toEqual([]);
});
