import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../../../provider/base/runtime/time/clock.ts";
import type { BundleCopy } from "../../../../sdk/bundleCopy.ts";
import {
  type ImageVerificationArgs,
  verificationOf,
  verifiedValues,
} from "../../../../sdk/kubernetes/verifiedImage.ts";
import { FasterClock } from "../../../simulation/fasterClock.ts";
import { resolved, startProgram } from "../../../simulation/pulumiProgram.ts";
import { type RegistryStub, startRegistryStub } from "../../../simulation/registryStub.ts";
import { IMAGE_DIGEST, newSigner, signImage } from "../../../simulation/signedImage.ts";

const OWNER = 'SelfHostedDocs "docs"';
const NO_IMAGE =
  /^SelfHostedDocs "docs": `verify` verifies the signature of an image, but this site is not an image/;
const signer = newSigner();
const VERIFY: ImageVerificationArgs = { publicKey: signer.publicKey, plainHttp: true };

let registry: RegistryStub;
let image: string;
beforeEach(async (context) => {
  registry = await startRegistryStub(context);
  image = `${registry.host}/docs@${IMAGE_DIGEST}`;
  await startProgram();
});

describe("an image that is signed by the key is the value of the site", () => {
  test("that a pod runs, beside the values that are none of the image", async () => {
    signImage(registry, signer);
    const values = verifiedValues(
      { staticExport: { enabled: true }, siteImage: pulumi.output(image) },
      VERIFY,
      OWNER,
    );
    expect(Object.keys(values)).toEqual(["staticExport", "siteImage"]);
    expect(values.staticExport).toEqual({ enabled: true });
    expect(await resolved(values.siteImage)).toEqual({ value: image, secret: false });
    expect(registry.requests).not.toEqual([]);
  });

  test("of a copy, where the other value is empty and stays so", async () => {
    signImage(registry, signer);
    const none = pulumi.output<string | undefined>(undefined);
    const values = verifiedValues(
      { siteImage: none, siteVolume: { image: pulumi.output(image) } },
      VERIFY,
      OWNER,
    );
    expect(await resolved(values.siteImage)).toEqual({ value: undefined, secret: false });
    expect(await resolved(values.siteVolume.image)).toEqual({ value: image, secret: false });
  });
});

describe("a release never gets", () => {
  test("an image that is not signed: the error has no stack trace", async () => {
    const error = await failureOf({ siteImage: pulumi.output(image) });
    expect(error).toBeInstanceOf(pulumi.RunError);
    expect(error.message).toContain(`${OWNER}: ${image} has no signature. Nothing was installed`);
    expect(error.stack).toBe(error.message);
  });

  test("such an image in a preview either", async () => {
    await startProgram({ preview: true });
    expect((await failureOf({ siteImage: pulumi.output(image) })).message).toContain("has no signature");
  });

  test("a copy that turns out to be no image", async () => {
    const none = pulumi.output<string | undefined>(undefined);
    const error = await failureOf({ siteImage: none, siteVolume: { image: none } });
    expect(error).toBeInstanceOf(pulumi.RunError);
    expect(error.message).toMatch(NO_IMAGE);
  });

  test.each([
    ["no key", { publicKey: pulumi.output("PUBLIC") }, "`verify.publicKey` "],
    ["no flag", { plainHttp: pulumi.output("yes" as never) }, "`verify.plainHttp` must be true or false."],
  ])("an image whose verification turns out to have %s", async (_what, wrong, problem) => {
    const error = await failureOf({ siteImage: pulumi.output(image) }, { ...VERIFY, ...wrong });
    expect(error.message).toContain(`${OWNER}: ${problem}`);
    expect(registry.requests).toEqual([]);
  });
});

test("a registry that a preview cannot reach is a warning of the program, and an error of the run", async () => {
  const clock = new FasterClock(100);
  const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
  vi.spyOn(systemClock, "monotonic").mockImplementation(clock.monotonic);
  vi.spyOn(systemClock, "after").mockImplementation(clock.after);
  onTestFinished(() => void vi.restoreAllMocks());
  const unreachable = `127.0.0.1:1/docs@${IMAGE_DIGEST}`;

  await startProgram({ preview: true });
  const { siteImage } = verifiedValues({ siteImage: pulumi.output(unreachable) }, VERIFY, OWNER);
  expect(await resolved(siteImage)).toMatchObject({ value: unreachable });
  expect(warn.mock.calls).toEqual([[expect.stringContaining("this preview cannot verify the signature")]]);

  await startProgram();
  expect(await failureOf({ siteImage: pulumi.output(unreachable) })).toBeInstanceOf(pulumi.RunError);
});

describe("is refused when the program runs", () => {
  test.each([
    ["a site that a link serves", {}],
    ["a site whose values are undefined", { siteImage: undefined, siteVolume: undefined }],
  ])("%s", (_what, values) => {
    const verify = (): unknown => verifiedValues(values, VERIFY, OWNER);
    expect(verify).toThrow(pulumi.RunError);
    expect(verify).toThrow(NO_IMAGE);
  });

  test("a text that is no key", () => {
    const verify = (): unknown =>
      verifiedValues({ siteImage: pulumi.output(image) }, { publicKey: "PUBLIC" }, OWNER);
    expect(verify).toThrow(pulumi.RunError);
    expect(verify).toThrow(/^SelfHostedDocs "docs": `verify.publicKey` /);
  });
});

describe("whether the registry has TLS", () => {
  const copyIn = (destination: unknown): BundleCopy =>
    ({ destination: pulumi.output(destination), sha256: pulumi.output("") }) as unknown as BundleCopy;
  const verify = { publicKey: "PUBLIC" };

  test.each([
    ["without", { repository: "r/docs", plainHttp: true }, true],
    ["with", { repository: "r/docs" }, false],
    ["with", null, false],
  ])("a copy tells: %s TLS", async (_what, destination, plainHttp) => {
    const { plainHttp: found, ...others } = verificationOf(copyIn(destination), verify);
    expect(others).toEqual(verify);
    expect(await resolved(found)).toEqual({ value: plainHttp, secret: false });
  });

  test("the program tells, also of a copy", () => {
    const given = { ...verify, plainHttp: false };
    expect(verificationOf(copyIn({ plainHttp: true }), given)).toBe(given);
  });

  test("nothing tells of an image", () => {
    expect(verificationOf({ image: "r/docs@sha256:5f" }, verify)).toBe(verify);
  });
});

/** The error that ends the run of a program whose site has these values: Pulumi waits for unhandled rejections. */
async function failureOf(values: Parameters<typeof verifiedValues>[0], verify = VERIFY): Promise<Error> {
  const listeners = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  onTestFinished(() => {
    process.removeAllListeners("unhandledRejection");
    for (const listener of listeners) process.on("unhandledRejection", listener);
  });
  return new Promise((resolve) => {
    process.on("unhandledRejection", (error) => resolve(error as Error));
    verifiedValues(values, verify, OWNER);
  });
}
