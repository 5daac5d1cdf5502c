// The signatures and statements of an image that several resources have, when one of them leaves.
import { describe, expect, test } from "vitest";
import { BUNDLE } from "../../../../../simulation/copiedBundle.ts";
import type { RegistryReply } from "../../../../../simulation/memoryRegistry.ts";
import { OWNER } from "../../../../../simulation/owners.ts";
import { newSigner } from "../../../../../simulation/signedImage.ts";
import { OTHER, sharedRepository } from "./sharedRepository.ts";

const shared = sharedRepository();
const { publish, remove, compare, digestIn, left } = shared;

const INDEX = "application/vnd.oci.image.index.v1+json";

/** The list of an image's referrers, as a registry with the API has it. */
function entriesOf(image: string): object[] {
  return [...shared.registry.manifests].flatMap(([key, { type, body }]) => {
    const { subject, artifactType } = JSON.parse(body.toString()) as {
      subject?: { digest: string };
      artifactType?: string;
    };
    const isReferrer = key.startsWith("sha256:") && subject?.digest === image;
    return isReferrer ? [{ mediaType: type, digest: key, size: body.length, artifactType }] : [];
  });
}

/** A registry with the API for referrers, and what answers in its place. */
function answering(answer: (entries: object[]) => RegistryReply): void {
  shared.registry.rule = (method, path) => {
    const [, image] = /\/referrers\/(sha256:[0-9a-f]{64})$/.exec(path) ?? [];
    return method === "GET" && image !== undefined ? answer(entriesOf(image)) : undefined;
  };
}

const list = (manifests: object[], headers: Readonly<Record<string, string>> = {}): RegistryReply => ({
  status: 200,
  headers: { "content-type": INDEX, ...headers },
  body: { schemaVersion: 2, mediaType: INDEX, manifests },
});
const page = (status: number): RegistryReply => ({
  status,
  headers: { "content-type": "text/html" },
  body: Buffer.from("<html>not here</html>"),
});

describe("an owner leaves a signed image that another one has, too: its statements stay, while", () => {
  test.each<[string, (entries: object[]) => RegistryReply]>([
    [
      "the list has pages",
      (entries) => list(entries.slice(0, 1), { link: '</v2/docs/site/referrers/x?next=1>; rel="next"' }),
    ],
    ["a gateway answers 404 in its place", () => page(404)],
    ["a gateway answers 403 in its place", () => page(403)],
    ["the list is late", () => list([])],
  ])("%s", async (_, answer) => {
    const signing = { signer: newSigner(), origin: { bundle: BUNDLE } };
    answering(list);
    const copy = await publish(OWNER, "v1", { signing });
    const other = await publish(OTHER, "v1", { signing });
    expect(other.parts["artifacts"]).toEqual(copy.parts["artifacts"]);
    answering(answer);
    await remove(OWNER, [copy]);
    answering(list);
    expect(await compare(OTHER, other)).toBe("same");
    await remove(OTHER, [other]);
    expect(left()).toEqual([]);
  });
});

const signed = (): Parameters<typeof publish>[2] => ({
  signing: { signer: newSigner(), origin: { bundle: BUNDLE } },
});

test("signatures that another owner replaced by its own go with the mark of the owner who leaves", async () => {
  const copy = await publish(OWNER, "v1", signed());
  const other = await publish(OTHER, "v1", signed());
  const [signature = ""] = copy.parts["artifacts"] as string[];
  expect(left()).toContain(signature);
  await remove(OWNER, [copy]);
  expect(left()).not.toContain(signature);
  expect(await compare(OTHER, other)).toBe("same");
});

test("a resource without a mark at an image removes none of its signatures", async () => {
  const copy = await publish(OWNER, "v1", signed());
  await publish(OTHER, "v1", signed());
  const [signature = ""] = copy.parts["artifacts"] as string[];
  for (const name of left()) if (name.endsWith(OWNER.id)) shared.registry.manifests.delete(name);
  await remove(OWNER, [copy]);
  expect(left()).toContain(signature);
  expect(left()).toContain(digestIn(copy));
});
