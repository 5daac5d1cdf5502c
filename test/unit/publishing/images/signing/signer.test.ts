import { execFileSync } from "node:child_process";
import { generateKeyPairSync, type KeyObject, verify } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { ConfigurationError } from "../../../../../provider/base/runtime/messages/errors.ts";
import { sigstoreBundle } from "../../../../../provider/kits/contents/sigstoreBundle.ts";
import { signerFrom } from "../../../../../provider/publishing/images/signing/signer.ts";
import { notOnWindows, POSIX_PROGRAMS } from "../../../../systems.ts";

const SUPPORTED_KEYS =
  "an ECDSA key of the curve P-256 (`openssl ecparam -name prime256v1 -genkey -noout`) or an Ed25519 key " +
  "(`openssl genpkey -algorithm ed25519`)";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signature-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const SUMS = Buffer.from(`${"0".repeat(64)}  README.md\n`);
const pairs = {
  "ECDSA P-256": () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  Ed25519: () => generateKeyPairSync("ed25519"),
};
const pem = (key: KeyObject, type: "pkcs8" | "sec1" = "pkcs8"): string =>
  key.export({ type, format: "pem" }).toString();
const from = (text: string | undefined) =>
  signerFrom("KIT_KEY", { environment: (name) => (name === "KIT_KEY" ? text : undefined) });

test.each(Object.entries(pairs))("%s: openssl alone checks the signature", (kind, pair) => {
  const { privateKey, publicKey } = pair();
  const signature = from(pem(privateKey)).sign(SUMS);
  const isEd25519 = kind === "Ed25519";
  expect(verify(isEd25519 ? null : "sha256", SUMS, publicKey, signature)).toBe(true);
  if (!existsSync("/usr/bin/openssl")) return;
  const file = (name: string, content: string | Buffer): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const key = file("key.pem", publicKey.export({ type: "spki", format: "pem" }));
  const sums = file("SHA256SUMS", SUMS);
  const sig = file("SHA256SUMS.sig", signature);
  const args = isEd25519
    ? ["pkeyutl", "-verify", "-pubin", "-rawin", "-inkey", key, "-in", sums, "-sigfile", sig]
    : ["dgst", "-sha256", "-verify", key, "-signature", sig, sums];
  expect(execFileSync("openssl", args, { encoding: "utf8" })).toMatch(/Verified (OK|Successfully)/);
  file("SHA256SUMS", Buffer.concat([SUMS, SUMS]));
  expect(() => execFileSync("openssl", args, { stdio: "pipe" })).toThrow();
});

test("a key may be in the older form of its kind, or on one line with \\n; its id is that of the public key", () => {
  const { privateKey, publicKey } = pairs["ECDSA P-256"]();
  const ids = [pem(privateKey), pem(privateKey, "sec1"), pem(privateKey).replaceAll("\n", "\\n")].map(
    (text) => from(text).keyId,
  );
  expect(new Set(ids).size).toBe(1);
  expect(ids[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(() => from(publicKey.export({ type: "spki", format: "pem" }).toString())).toThrow(
    "holds no private key",
  );
});

test("a missing key, an unusable one, one of another kind and one with a passphrase are distinguished, with no part of them", () => {
  const ec = (namedCurve: string): string => pem(generateKeyPairSync("ec", { namedCurve }).privateKey);
  const locked = pairs.Ed25519().privateKey.export({
    type: "pkcs8",
    format: "pem",
    cipher: "aes-256-cbc",
    passphrase: "secret",
  });
  const rsa = pem(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey);
  const set = "Set it to the private key in PEM, or leave `signingKeyEnv` out: then nothing is signed.";
  const give = `Give ${SUPPORTED_KEYS}.`;
  const cosign = locked.toString().replaceAll("ENCRYPTED ", "ENCRYPTED SIGSTORE ");
  const cases: [string | undefined, string, string][] = [
    [undefined, "KIT_KEY, which `signingKeyEnv` names, is not set", set],
    [" \n", "is not set", set],
    [
      "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----",
      "holds no private key in PEM",
      "Give the whole text, from -----BEGIN to -----END, with line breaks or with \\n for each of them.",
    ],
    [ec("P-384"), "has an unsupported type (ec)", give],
    [ec("secp256k1"), "has an unsupported type (ec)", give],
    [rsa, "has an unsupported type (rsa)", give],
    [
      locked.toString(),
      "has a passphrase",
      "Give it without one (`openssl pkey -in key.pem`), and keep the variable among your secrets.",
    ],
    [
      cosign,
      "has a passphrase",
      `Keys of \`cosign generate-key-pair\` always have one. Give ${SUPPORTED_KEYS}, and keep the variable among your secrets.`,
    ],
  ];
  for (const [text, message, advice] of cases) {
    const read = (): unknown => from(text);
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(message);
    try {
      read();
    } catch (error) {
      const { message: problem, remedy, cause } = error as ConfigurationError;
      expect(remedy).toBe(advice);
      const lines = (text ?? "").split("\n").filter((line) => /^[\w+/=]{8,}$/.test(line));
      for (const line of lines) expect(`${problem} ${remedy}`).not.toContain(line);
      expect(cause).toBeUndefined();
    }
  }
});

test("the bundle for cosign has the same signature, and the digest of the signed file", (context) => {
  notOnWindows(context, POSIX_PROGRAMS);
  const signer = from(pem(pairs["ECDSA P-256"]().privateKey));
  const signature = signer.sign(SUMS);
  expect(JSON.parse(sigstoreBundle(SUMS, signature, signer))).toEqual({
    mediaType: "application/vnd.dev.sigstore.bundle.v0.3+json",
    verificationMaterial: { publicKey: { hint: Buffer.from(signer.keyId, "hex").toString("base64") } },
    messageSignature: {
      messageDigest: {
        algorithm: "SHA2_256",
        digest: Buffer.from(
          execFileSync("sha256sum", { input: SUMS }).toString().slice(0, 64),
          "hex",
        ).toString("base64"),
      },
      signature: signature.toString("base64"),
    },
  });
});
