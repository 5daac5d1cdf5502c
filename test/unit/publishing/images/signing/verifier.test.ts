import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { expect, test } from "vitest";
import { publicKeyProblem } from "../../../../../provider/base/runtime/values/publicKey.ts";
import { signerFrom } from "../../../../../provider/publishing/images/signing/signer.ts";
import { verifierFrom } from "../../../../../provider/publishing/images/signing/verifier.ts";

const PAIRS = {
  "ECDSA P-256": () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  Ed25519: () => generateKeyPairSync("ed25519"),
};
const publicPem = (key: KeyObject): string => key.export({ type: "spki", format: "pem" }).toString();
const privatePem = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }).toString();
const BYTES = Buffer.from("what is signed");

test.each(Object.entries(PAIRS))(
  "%s: the public key verifies what its signer signed, and nothing else",
  (_, pair) => {
    const { privateKey, publicKey } = pair();
    const signer = signerFrom("KEY", { environment: () => privatePem(privateKey) });
    const verifier = verifierFrom(` \n  ${publicPem(publicKey).replaceAll("\n", "\\n")}`);
    const signature = signer.sign(BYTES);
    expect(verifier.verify(BYTES, signature)).toBe(true);
    expect(signer.verify(BYTES, signature)).toBe(true);
    expect([verifier.keyId, verifier.publicKey]).toEqual([signer.keyId, publicPem(publicKey)]);
    expect(verifier.verify(Buffer.from("something else"), signature)).toBe(false);
    expect(verifier.verify(BYTES, Buffer.from("no signature"))).toBe(false);
    expect(verifier.verify(BYTES, Buffer.alloc(0))).toBe(false);
    expect(verifierFrom(publicPem(pair().publicKey)).verify(BYTES, signature)).toBe(false);
  },
);

test("a text that is no public key of a supported kind has a problem, which never quotes a private key", () => {
  const { privateKey } = PAIRS.Ed25519();
  const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey;
  const curve = generateKeyPairSync("ec", { namedCurve: "secp256k1" }).publicKey;
  expect(publicKeyProblem(publicPem(PAIRS.Ed25519().publicKey))).toBeUndefined();
  const example = "must be a public key in PEM (`openssl pkey -in key.pem -pubout`)";
  expect(publicKeyProblem("cosign.pub")).toBe(example);
  const kinds =
    "must be an ECDSA key of the curve P-256, P-384 or P-521, an RSA key of 2048, 3072 or 4096 bits, or an Ed25519 key";
  for (const key of [rsa, curve, generateKeyPairSync("ed448").publicKey]) {
    expect(publicKeyProblem(publicPem(key))).toBe(kinds);
  }
  const secret = privatePem(privateKey);
  expect(publicKeyProblem(secret)).toBe(`${example}, not a private key: keep that one secret`);
  expect(publicKeyProblem(secret)).not.toContain(secret.split("\n")[1]);
  expect(() => verifierFrom("cosign.pub")).toThrow(`the public key ${example}`);
  expect(() => verifierFrom(publicPem(curve))).toThrow("the public key must be an ECDSA key");
});

test.each([
  ...["P-256", "P-384", "P-521"].map(
    (curve) => [curve, generateKeyPairSync("ec", { namedCurve: curve })] as const,
  ),
  ...[2_048, 3_072, 4_096].map(
    (bits) => [`RSA ${bits}`, generateKeyPairSync("rsa", { modulusLength: bits })] as const,
  ),
])("%s: signatures over each hash of SHA-2 are verified, as cosign does with a key of a KMS", (_, pair) => {
  const pem = publicPem(pair.publicKey);
  expect(publicKeyProblem(pem)).toBeUndefined();
  for (const hash of ["sha256", "sha384", "sha512"]) {
    const signature = sign(hash, BYTES, pair.privateKey);
    expect(verifierFrom(pem).verify(BYTES, signature)).toBe(true);
    expect(verifierFrom(pem).verify(Buffer.from("something else"), signature)).toBe(false);
  }
  expect(verifierFrom(pem).verify(BYTES, sign("sha1", BYTES, pair.privateKey))).toBe(false);
});

test("a key with the parameters of its curve instead of the name is refused, for Go cannot read it", () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    paramEncoding: "explicit",
  });
  expect(publicKeyProblem(publicPem(publicKey))).toMatch(
    /^contains the parameters of its curve.*named_curve/,
  );
  expect(() => signerFrom("KEY", { environment: () => privatePem(privateKey) })).toThrow(
    "the key in KEY contains the parameters of its curve, not the curve's name: cosign and Flux would refuse its signatures",
  );
  const sec1 = privateKey.export({ type: "sec1", format: "pem" }).toString();
  expect(() => signerFrom("KEY", { environment: () => sec1 })).toThrow("the curve's name");
  // copies that were signed by such a key before stay readable
  expect(verifierFrom(publicPem(publicKey)).verify(BYTES, sign("sha256", BYTES, privateKey))).toBe(true);
});
