import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "vitest";
import type { Signing } from "../../provider/publishing/destinations/destination.ts";
import { type Signer, signerFrom } from "../../provider/publishing/images/signing/signer.ts";
import { runCommand } from "../programs/commands.ts";
import { BUNDLE } from "../simulation/copiedBundle.ts";
import { scratchFolder } from "./images.ts";
import { startServer } from "./server.ts";

/** The kinds of keys, and how each is made. */
export const KEYS = {
  "ECDSA P-256": () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  Ed25519: () => generateKeyPairSync("ed25519"),
};

/** A signer, with a new key unless one is given. @param pem a private key */
export function newSigner(
  kind: keyof typeof KEYS = "ECDSA P-256",
  pem = KEYS[kind]().privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
): Signer {
  return signerFrom("KEY", { environment: () => pem });
}

/** The signing of a copy of `BUNDLE`, which a job made. */
export function signingBy(signer: Signer): Signing {
  return { signer, origin: { bundle: BUNDLE, serviceUrl: "https://service.example.com" } };
}

const TYPES = {
  slsaprovenance1: "https://slsa.dev/provenance/v1",
  cyclonedx: "https://cyclonedx.org/bom",
};

/** Other programs, which verify what a copy has. */
export interface Verifiers {
  /** Each verifies the image's signature. */
  readonly signature: Readonly<Record<string, (image: string) => Promise<unknown>>>;
  /** Each verifies an attestation. @returns its statement */
  readonly attestation: Readonly<
    Record<string, (image: string, type: keyof typeof TYPES) => Promise<Record<string, unknown>>>
  >;
}

/**
 * The libraries of cosign 2 and 3, also with the options of Flux; and the commands, if COSIGN2 and COSIGN3 are their paths.
 *
 * @param publicKey in PEM
 */
export async function verifiersWith(
  context: Pick<TestContext, "onTestFinished">,
  publicKey: string,
): Promise<Verifiers> {
  const key = join(await scratchFolder(context), "key.pub");
  await writeFile(key, publicKey);
  const library = process.env["COSIGN"] ?? "cosign";
  const signature: Record<string, (image: string) => Promise<unknown>> = Object.fromEntries(
    ["cosign2", "cosign3", "flux"].map((by) => [by, (image) => runCommand(library, [by, key, image])]),
  );
  const attestation: Record<string, Verifiers["attestation"][string]> = Object.fromEntries(
    ["cosign2", "cosign3"].map((by) => [
      by,
      async (image, type) =>
        JSON.parse(await runCommand(library, [by, key, image, TYPES[type]])) as Record<string, unknown>,
    ]),
  );
  for (const name of ["COSIGN2", "COSIGN3"]) {
    const command = process.env[name];
    if (command === undefined) continue;
    const options = ["--key", key, "--insecure-ignore-tlog=true", "--allow-http-registry"];
    const verify = (...args: string[]) =>
      runCommand(command, [...args.slice(0, -1), ...options, ...args.slice(-1)]);
    signature[`the command ${name}`] = (image) => verify("verify", image);
    attestation[`the command ${name}`] = async (image, type) => {
      const envelope = JSON.parse(await verify("verify-attestation", "--type", type, image)) as {
        payload: string;
      };
      return JSON.parse(Buffer.from(envelope.payload, "base64").toString()) as Record<string, unknown>;
    };
  }
  return { signature, attestation };
}

/** Starts a registry that has the API for referrers, until the test ends. @returns its host and port */
export async function startReferrersRegistry(context: Pick<TestContext, "onTestFinished">): Promise<string> {
  const server = await startServer(process.env["COSIGN"] ?? "cosign", ["serve"], {}, /listening on (\S+)/);
  context.onTestFinished(() => server.stop());
  return server.ready[1] ?? "";
}
