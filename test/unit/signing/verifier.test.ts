import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { expect, test } from "vitest";
import { publicKeyProblem, verifierFrom } from "../../../provider/signing/verifier.ts";
import { signerFrom } from "../../../provider/signing/signer.ts";

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
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey;
  const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" }).publicKey;
  expect(publicKeyProblem(publicPem(PAIRS.Ed25519().publicKey))).toBeUndefined();
  const example = "must be a public key in PEM (`openssl pkey -in key.pem -pubout`)";
  expect(publicKeyProblem("cosign.pub")).toBe(example);
  expect(publicKeyProblem(publicPem(rsa))).toBe(
    "must be of an ECDSA key of the curve P-256 (`openssl ecparam -name prime256v1 -genkey -noout`) or an Ed25519 key " +
      "(`openssl genpkey -algorithm ed25519`)",
  );
  expect(publicKeyProblem(publicPem(p384))).toMatch(/^must be of an ECDSA key/);
  const secret = privatePem(privateKey);
  expect(publicKeyProblem(secret)).toBe(`${example}, not a private key: keep that one secret`);
  expect(publicKeyProblem(secret)).not.toContain(secret.split("\n")[1]);
  expect(() => verifierFrom("cosign.pub")).toThrow(`the public key ${example}`);
  expect(() => verifierFrom(publicPem(p384))).toThrow("the public key must be of an ECDSA key");
});
