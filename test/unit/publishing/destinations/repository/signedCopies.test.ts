// Signed copies in a repository: when they are signed, and what becomes of their signatures.
import { describe, expect, test } from "vitest";
import type { Copy, Signing } from "../../../../../provider/publishing/destinations/destination.ts";
import { verifierFrom } from "../../../../../provider/publishing/images/signing/verifier.ts";
import { BUNDLE } from "../../../../simulation/copiedBundle.ts";
import { newSigner } from "../../../../simulation/signedImage.ts";
import { copySite, operation } from "./repositoryCopies.ts";
import { digestIn, listOf, manifestsIn, markOf, ownTag, testRepository } from "./testRepository.ts";

const at = testRepository();
const { destination, written } = at;

describe("a signed copy", () => {
  const signer = newSigner();
  const signing: Signing = { signer, origin: { bundle: BUNDLE } };
  const artifactsIn = ({ parts }: Copy): string[] => parts["artifacts"] as string[];

  test("is there and signed before its own tag is", async () => {
    const placed: Copy[] = [];
    const copy = await copySite(
      { repository: at.repository, tag: "latest" },
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
    const copy = await copySite({ repository: at.repository }, { signing });
    const own = at.registry.manifests.get(ownTag(copy));
    at.registry.manifests.delete(ownTag(copy));
    expect(await destination().compare(copy, await operation())).toBe("changed");
    if (own) at.registry.manifests.set(ownTag(copy), own);
    expect(await destination().compare(copy, await operation())).toBe("same");
    at.registry.manifests.delete(`${digestIn(copy).replace(":", "-")}.sig`);
    expect(await destination().compare(copy, await operation())).toBe("changed");
  });

  test("is removed with its signature, and stays with it where it is kept", async () => {
    const copy = await copySite({ repository: at.repository }, { signing });
    await destination().prune([copy], [copy], await operation());
    expect(await destination().compare(copy, await operation())).toBe("same");
    await destination().release([copy], await operation());
    expect([...at.registry.manifests.keys()]).toEqual([]);
  });

  test("whose signature cannot be stored has no tag", async () => {
    at.registry.rule = (method, path) => (method === "PUT" && path.endsWith(".sig") ? 403 : undefined);
    const placed: Copy[] = [];
    await expect(
      copySite(
        { repository: at.repository, tag: "latest" },
        { signing, placing: (each) => placed.push(each) },
      ),
    ).rejects.toThrow(
      /^the signature of .*@sha256:.* could not be stored, so no tag points at it: .* answered 403$/,
    );
    expect(placed).toHaveLength(1);
    expect(
      [...at.registry.manifests.keys()].filter((name) => /^(latest|sha256-[0-9a-f]{16})$/.test(name)),
    ).toEqual([]);
  });

  test("with artifacts in the state that are no digests is compared without a request for them", async () => {
    const copy = await copySite({ repository: at.repository }, { signing });
    const wrong = { ...copy, parts: { ...copy.parts, artifacts: ["../../x", 7] } };
    at.registry.requests.length = 0;
    await destination().compare(wrong, await operation());
    await destination().compare({ ...copy, parts: { ...copy.parts, artifacts: 7 } }, await operation());
    await destination().release([wrong], await operation());
    expect(at.registry.requests.filter((each) => !/^\w+ \/v2\/(docs\/site\/.+)?$/.test(each))).toEqual([]);
    expect(at.registry.manifests.has(`${digestIn(copy).replace(":", "-")}.sig`)).toBe(false);
  });

  test("is found by its key, and by no other", async () => {
    const copy = await copySite({ repository: at.repository }, { signing });
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
