import nodeFetch from "node-fetch";
import { beforeEach, describe, expect, test } from "vitest";
import { UNKNOWN } from "../../../provider/base/runtime/messages/plainText.ts";
import { Secrets } from "../../../provider/base/runtime/messages/secrets.ts";
import { type Clock, systemClock } from "../../../provider/base/runtime/time/clock.ts";
import { verificationProblem } from "../../../provider/installation/imageVerification.ts";
import { installationValues } from "../../../provider/installation/installationValues.ts";
import { verifyInstalledImage } from "../../../provider/installation/verifyInstalledImage.ts";
import { FasterClock } from "../../simulation/fasterClock.ts";
import { recordingReporter } from "../../simulation/recordingReporter.ts";
import { type RegistryStub, startRegistryStub } from "../../simulation/registryStub.ts";
import { IMAGE_DIGEST, newSigner, signImage } from "../../simulation/signedImage.ts";

const signer = newSigner();
const PUBLIC_KEY = signer.publicKey;
const NO_CHANGE = "Nothing was installed, and no pod was changed.";

let registry: RegistryStub;
let reporter: ReturnType<typeof recordingReporter>;
beforeEach(async (context) => {
  registry = await startRegistryStub(context);
  reporter = recordingReporter();
});

function verify(
  image: string,
  {
    isPreview = false,
    clock = systemClock,
    secrets = new Secrets(),
    signal = new AbortController().signal,
  }: { isPreview?: boolean; clock?: Clock; secrets?: Secrets; signal?: AbortSignal } = {},
): Promise<void> {
  return verifyInstalledImage(
    {
      fetch: nodeFetch,
      clock,
      reporter,
      secrets,
      signal,
      environment: () => undefined,
    },
    image,
    { publicKey: PUBLIC_KEY, plainHttp: true },
    { owner: 'SelfHostedDocs "docs"', isPreview },
  );
}

describe.each([true, false])("in a preview: %s", (isPreview) => {
  const image = (): string => `${registry.host}/docs@${IMAGE_DIGEST}`;

  test("an image with a signature by the key is accepted", async () => {
    signImage(registry, signer);
    await verify(image(), { isPreview });
    expect(reporter.lines.warn).toEqual([]);
  });

  test("an image without a signature is refused, with the way to one", async () => {
    await expect(verify(image(), { isPreview })).rejects.toThrow(
      `SelfHostedDocs "docs": ${image()} has no signature. ${NO_CHANGE} Sign it, for example with \`signingKeyEnv\` of a BundleCopy.`,
    );
  });

  test("a signature by another key is refused, and the message names the key that was expected", async () => {
    signImage(registry, newSigner());
    await expect(verify(image(), { isPreview })).rejects.toThrow(
      new RegExp(`has no valid signature by the public key with the SHA-256 ${signer.keyId}\\. ${NO_CHANGE}`),
    );
  });

  test.each([
    ["r.example.com/docs:latest", '"r.example.com/docs:latest" has none'],
    ["r.example.com/Docs@x", "has no usable path"],
    [`r.example.com/Docs@${IMAGE_DIGEST}`, "has no usable path"],
  ])("%s is refused, for a tag may lead to another image at any time", async (name, reason) => {
    await expect(verify(name, { isPreview })).rejects.toThrow(reason);
    expect(registry.requests).toEqual([]);
  });
});

test("a registry that a preview cannot reach is a warning: the run fails", async () => {
  const image = `127.0.0.1:1/docs@${IMAGE_DIGEST}`;
  const clock = new FasterClock(100);
  await verify(image, { isPreview: true, clock });
  expect(reporter.lines.warn).toEqual([
    expect.stringMatching(
      /^this preview cannot verify the signature\. SelfHostedDocs "docs": .*127\.0\.0\.1:1.* The run verifies the image, and fails if it still cannot\./,
    ),
  ]);
  await expect(verify(image, { clock })).rejects.toThrow(NO_CHANGE);
});

test("a run that is cancelled ends with the reason, also in a preview, and warns of nothing", async () => {
  const signal = AbortSignal.abort(new Error("cancelled"));
  for (const isPreview of [true, false]) {
    await expect(verify(`${registry.host}/docs@${IMAGE_DIGEST}`, { isPreview, signal })).rejects.toThrow(
      "cancelled",
    );
  }
  expect(reporter.lines.warn).toEqual([]);
});

test("an error contains no secret", async () => {
  const secrets = new Secrets();
  secrets.add("s3cr3t-c4n4ry");
  const failed = verify(`${registry.host}/docs/s3cr3t-c4n4ry@${IMAGE_DIGEST}`, { secrets });
  await expect(failed).rejects.toThrow("has no signature");
  await expect(failed).rejects.not.toThrow("c4n4ry");
});

test.each([
  [{}, "`verify.publicKey` must be a public key in PEM."],
  [
    { publicKey: "key" },
    "`verify.publicKey` must be a public key in PEM (`openssl pkey -in key.pem -pubout`).",
  ],
])("%j: the problem is named", (fields, problem) => {
  expect(verificationProblem(fields)).toBe(problem);
});

test("a switch that is neither true nor false is a problem, one that is absent or null is none", () => {
  const problemOf = (plainHttp: unknown) => verificationProblem({ publicKey: PUBLIC_KEY, plainHttp });
  expect(problemOf("yes")).toBe("`verify.plainHttp` must be true or false.");
  for (const plainHttp of [true, false, null, undefined]) expect(problemOf(plainHttp)).toBeUndefined();
});

describe("installationValues", () => {
  const image = `r.example.com/docs@${IMAGE_DIGEST}`;
  const values = (given: object) => installationValues({ deploymentKind: "client-hosted", image, ...given });

  test("names the image that must be verified, whether it serves itself or is a volume", () => {
    const verification = { publicKey: PUBLIC_KEY };
    for (const runnable of [true, false]) {
      expect(values({ runnable, verify: verification })).toMatchObject({
        unverified: { image, verification },
      });
    }
    expect(values({})).not.toHaveProperty("unverified");
  });

  test.each<[string, object, string]>([
    ["a text", { verify: "key" }, "`verify` must be an object: { publicKey }."],
    ["a list", { verify: [] }, "`verify` must be an object: { publicKey }."],
    ["what is no key", { verify: { publicKey: "x" } }, "`verify.publicKey` must be a public key"],
    [
      "a verification of a site that is no image",
      { image: undefined, bundleUrl: "https://store.example.com/b", verify: { publicKey: PUBLIC_KEY } },
      "`verify` verifies the signature of an image, but this site is not an image: give the copy in a registry, or " +
        "`{ image }`.",
    ],
  ])("%s is refused", (_, given, reason) => {
    expect(values(given)).toEqual({ problems: [expect.stringContaining(reason) as string] });
  });

  test("of what is not known yet, nothing is known and nothing is verified", () => {
    const unknown = { outputs: { values: UNKNOWN } };
    expect(values({ verify: UNKNOWN })).toEqual(unknown);
    expect(values({ verify: { publicKey: UNKNOWN } })).toEqual(unknown);
    expect(values({ verify: { publicKey: UNKNOWN, plainHttp: true } })).toEqual(unknown);
    expect(values({ verify: { publicKey: PUBLIC_KEY }, destination: UNKNOWN })).toEqual(unknown);
    expect(values({ image: UNKNOWN, verify: { publicKey: PUBLIC_KEY } })).not.toHaveProperty("unverified");
  });
});
