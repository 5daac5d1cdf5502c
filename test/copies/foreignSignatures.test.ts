// Images that cosign's own libraries signed, with keys as people and their KMS have them: `verify` accepts what `cosign verify --key`
// accepts without a network, and refuses the rest.
import { createHash, generateKeyPairSync, type KeyObject } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, type TestContext } from "vitest";
import { verifyInstalledImage } from "../../provider/installation/verifyInstalledImage.ts";
import { runCommand } from "../programs/commands.ts";
import { crane, scratchFolder, tarOf } from "./images.ts";
import { startRegistry } from "./registry.ts";
import { startReferrersRegistry } from "./signing.ts";
import { operation } from "./siteCopies.ts";

interface Pair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}
const KEYS: Readonly<Record<string, () => Pair>> = {
  "RSA 2048": () => generateKeyPairSync("rsa", { modulusLength: 2_048 }),
  "RSA 3072": () => generateKeyPairSync("rsa", { modulusLength: 3_072 }),
  "RSA 4096": () => generateKeyPairSync("rsa", { modulusLength: 4_096 }),
  "ECDSA P-256": () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  "ECDSA P-384": () => generateKeyPairSync("ec", { namedCurve: "P-384" }),
  "ECDSA P-521": () => generateKeyPairSync("ec", { namedCurve: "P-521" }),
  Ed25519: () => generateKeyPairSync("ed25519"),
};

/** The form that each version of cosign signs in, and those that verify it. */
const FORMS = {
  "under the tag of cosign 2": { by: "cosign2", verifiers: ["cosign2", "cosign3", "flux"] },
  "as a bundle of cosign 3": { by: "cosign3", verifiers: ["cosign3", "flux"] },
} as const;

const REGISTRIES = {
  "distribution, which lists referrers under a tag": async (context: TestContext) =>
    (await startRegistry(context)).host,
  "a registry with the API for referrers": startReferrersRegistry,
};

const cosign = (...args: string[]): Promise<string> => runCommand(process.env["COSIGN"] ?? "cosign", args);
const succeeds = (attempt: Promise<unknown>): Promise<boolean> =>
  attempt.then(
    () => true,
    () => false,
  );

interface Key {
  readonly kind: string;
  /** In PEM. */
  readonly publicKey: string;
  /** Files of both. */
  readonly publicFile: string;
  readonly privateFile: string;
}

/** A key of each kind. */
async function newKeys(context: TestContext): Promise<Key[]> {
  const folder = await scratchFolder(context);
  return Promise.all(
    Object.entries(KEYS).map(async ([kind, make], index) => {
      const pair = make();
      const publicKey = pair.publicKey.export({ type: "spki", format: "pem" }).toString();
      const [publicFile, privateFile] = [join(folder, `${index}.pub`), join(folder, `${index}.key`)] as const;
      await writeFile(publicFile, publicKey);
      await writeFile(privateFile, pair.privateKey.export({ type: "pkcs8", format: "pem" }));
      return { kind, publicKey, publicFile, privateFile };
    }),
  );
}

/** Pushes an image with one file. @returns its name with its digest */
async function pushImage(context: TestContext, name: string, text: string): Promise<string> {
  const layer = join(await scratchFolder(context), "layer.tar");
  await writeFile(layer, tarOf({ "index.html": text }));
  await crane("append", "--oci-empty-base", "-f", layer, "-t", name);
  return `${name.replace(/:[^:/]*$/, "")}@${await crane("digest", name)}`;
}

/** What `verify` of an installation says. */
async function verify(context: TestContext, image: string, publicKey: string): Promise<void> {
  const run = await operation(context);
  const verification = { publicKey, plainHttp: true };
  await verifyInstalledImage(run, image, verification, { owner: "release «docs»", isPreview: false });
}

describe.each(Object.entries(REGISTRIES))("in %s", (_, start) => {
  test.for(Object.entries(FORMS))(
    "an image that is signed %s is accepted with every key with which cosign accepts it, and no other is",
    async ([, { by, verifiers }], context) => {
      const host = await start(context);
      const image = await pushImage(context, `${host}/docs/site:1`, "signed");
      const changed = await pushImage(context, `${host}/docs/site:2`, "changed");
      const [keys, others] = [await newKeys(context), await newKeys(context)];
      for (const { privateFile } of keys) await cosign("sign", by, privateFile, image);
      // it may have been signed for another reason, by someone else
      await cosign("sign", by, others[3]?.privateFile ?? "", changed);

      const accepted: string[] = [];
      for (const [index, { kind, publicKey, publicFile }] of keys.entries()) {
        const verdicts = await Promise.all(
          verifiers.map((each) => succeeds(cosign(each, publicFile, image))),
        );
        expect(new Set(verdicts).size, kind).toBe(1); // all of them agree
        expect(await succeeds(verify(context, image, publicKey)), kind).toBe(verdicts[0]);
        if (verdicts[0]) accepted.push(kind);
        await expect(verify(context, image, others[index]?.publicKey ?? ""), kind).rejects.toThrow(
          "has no valid signature by the public key",
        );
        await expect(verify(context, changed, publicKey), kind).rejects.toThrow(
          "has no valid signature by the public key",
        );
      }
      // cosign signs with Ed25519ph, which its own verification with a key refuses
      expect(accepted).toEqual(Object.keys(KEYS).filter((kind) => kind !== "Ed25519"));
      const unsigned = await pushImage(context, `${host}/docs/site:3`, "unsigned");
      await expect(verify(context, unsigned, keys[0]?.publicKey ?? "")).rejects.toThrow("has no signature");
    },
  );

  test("a signature that somebody moves to another image is refused, in both forms", async (context) => {
    const host = await start(context);
    const image = await pushImage(context, `${host}/docs/site:1`, "signed");
    const other = await pushImage(context, `${host}/docs/site:2`, "other");
    const [, , , key] = await newKeys(context);
    for (const by of ["cosign2", "cosign3"]) await cosign("sign", by, key?.privateFile ?? "", image);
    const tagOf = (name: string): string => name.replace("@", ":").replace("sha256:", "sha256-");
    await crane("tag", `${tagOf(image)}.sig`, `${tagOf(other).split(":").at(-1) ?? ""}.sig`);
    for (const referrer of await referrersOf(host, image)) {
      const manifest = JSON.parse(await crane("manifest", `${host}/docs/site@${referrer}`)) as {
        subject: { digest: string; size: number };
      };
      manifest.subject.digest = other.split("@")[1] ?? "";
      await putReferrer(host, other, manifest);
    }
    await expect(succeeds(cosign("cosign3", key?.publicFile ?? "", other))).resolves.toBe(false);
    await expect(verify(context, other, key?.publicKey ?? "")).rejects.toThrow(
      "has no valid signature by the public key",
    );
    await verify(context, image, key?.publicKey ?? "");
  });
});

/** Digests of the manifests that refer to an image. */
async function referrersOf(host: string, image: string): Promise<string[]> {
  const digest = image.split("@")[1] ?? "";
  const api = await fetch(`http://${host}/v2/docs/site/referrers/${digest}`);
  const list = (
    api.ok
      ? await api.json()
      : JSON.parse(await crane("manifest", `${host}/docs/site:${digest.replace(":", "-")}`))
  ) as { manifests: { digest: string }[] };
  return list.manifests.map((each) => each.digest);
}

/** Stores a manifest that refers to an image, and lists it where the registry does not. */
async function putReferrer(host: string, image: string, manifest: object): Promise<void> {
  const body = JSON.stringify(manifest);
  const digest = `sha256:${createHash("sha256").update(body).digest("hex")}`;
  const put = async (name: string, mediaType: string, content: string): Promise<void> => {
    const headers = { "content-type": mediaType };
    const { status } = await fetch(`http://${host}/v2/docs/site/manifests/${name}`, {
      method: "PUT",
      headers,
      body: content,
    });
    expect(status).toBe(201);
  };
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  await put(digest, mediaType, body);
  const subject = image.split("@")[1] ?? "";
  if ((await fetch(`http://${host}/v2/docs/site/referrers/${subject}`)).ok) return;
  const index = "application/vnd.oci.image.index.v1+json";
  const entry = {
    mediaType,
    digest,
    size: body.length,
    artifactType: "application/vnd.dev.sigstore.bundle.v0.3+json",
  };
  const list = JSON.stringify({ schemaVersion: 2, mediaType: index, manifests: [entry] });
  await put(subject.replace(":", "-"), index, list);
}
