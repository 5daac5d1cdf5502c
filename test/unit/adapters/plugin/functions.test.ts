import nodeFetch from "node-fetch";
import { expect, test } from "vitest";
import { startReferenceService } from "../../../../examples/reference-service/index.ts";
import { FUNCTIONS } from "../../../../provider/adapters/plugin/functions.ts";
import schema from "../../../../provider/adapters/plugin/schema.json" with { type: "json" };
import { Secrecy } from "../../../../provider/adapters/plugin/secrecy.ts";
import { shownFailure } from "../../../../provider/adapters/session/rowReporter.ts";
import { InputError } from "../../../../provider/base/runtime/messages/errors.ts";
import { Secrets } from "../../../../provider/base/runtime/messages/secrets.ts";
import { type Clock, systemClock } from "../../../../provider/base/runtime/time/clock.ts";
import { FasterClock } from "../../../simulation/fasterClock.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { startRegistryStub } from "../../../simulation/registryStub.ts";
import { IMAGE_DIGEST, newSigner, signImage } from "../../../simulation/signedImage.ts";
import { KEY, testContext } from "../../../simulation/testContext.ts";

const LINK = "https://store.example.com/bundle.tgz?signature=c4n4ry";

async function run(given: object, options: { isPreview?: boolean; name?: string; clock?: Clock } = {}) {
  const { isPreview = false, name = "installationValues", clock = systemClock } = options;
  const warnings: string[] = [];
  const secrecy = new Secrecy();
  const reporter = { ...recordingReporter(), warn: (text: string) => void warnings.push(text) };
  const context = testContext({ fetch: nodeFetch, clock, reporter });
  const call = { secrecy, isPreview };
  const result = await FUNCTIONS[`docs-hosting:index:${name}`]?.(context, { ...given }, call);
  return { result, warnings, secrecy };
}

test("every function of the schema is there, and no other", () => {
  expect(Object.keys(FUNCTIONS).sort()).toEqual(Object.keys(schema.functions).sort());
});

test("installationValues marks the link as a secret, also one that was given in plain text", async () => {
  const { result, secrecy, warnings } = await run({
    bundleUrl: LINK,
    deploymentKind: "client-hosted",
  });
  expect(result).toEqual({ values: { staticExport: { enabled: true, bundleUrl: LINK } } });
  expect(secrecy.isIn(LINK)).toBe(true);
  expect(warnings).toEqual([]);
});

test("installationValues warns of an air-gapped installation whose pods need a link", async () => {
  const { warnings } = await run({ bundleUrl: LINK, deploymentKind: "air-gapped" });
  expect(warnings).toEqual([expect.stringMatching(/^installationValues: The installation is "air-gapped"/)]);
});

test("an unavailable feature is an error that shows its row of the table on a line of its own", async () => {
  const given = {
    bundleUrl: LINK,
    deploymentKind: "air-gapped",
    features: { search: true },
  };
  let failure: unknown;
  try {
    await run(given);
  } catch (error) {
    failure = error;
  }
  const lines = shownFailure(failure, new Secrets()).split("\n");
  expect(lines[0]).toMatch(/^installationValues: Documentation search: unavailable in an installation/);
  expect(lines).toContain("  | Documentation search | available | configurable  | unavailable |");
});

test("installationValues verifies the image before it returns its values", async (context) => {
  const registry = await startRegistryStub(context);
  const signer = newSigner();
  const image = `${registry.host}/docs@${IMAGE_DIGEST}`;
  const verify = { publicKey: signer.publicKey, plainHttp: true };
  const given = { image, deploymentKind: "air-gapped", verify };
  await expect(run(given)).rejects.toThrow(`installationValues: ${image} has no signature`);
  signImage(registry, signer);
  const { result } = await run(given);
  expect(result).toEqual({ values: { staticExport: { enabled: true }, siteImage: image } });
});

test("installationValues in a preview warns of a registry that it cannot read", async () => {
  const verify = { publicKey: newSigner().publicKey, plainHttp: true };
  const given = { image: `127.0.0.1:1/docs@${IMAGE_DIGEST}`, deploymentKind: "air-gapped", verify };
  const { warnings } = await run(given, { isPreview: true, clock: new FasterClock(100) });
  expect(warnings).toEqual([expect.stringContaining("this preview cannot verify the signature")]);
});

test("getAgentJob reads the job at the service", async (context) => {
  const service = await startReferenceService({ sites: {}, adminApiKey: KEY });
  context.onTestFinished(() => service.close());
  service.agentJobs.set("p1", { id: "a1", status: "completed" });
  const { result } = await run({ baseUrl: service.url, projectId: "p1", id: "a1" }, { name: "getAgentJob" });
  expect(result).toMatchObject({ id: "a1", status: "completed" });
});

test("any other failure is one line", () => {
  expect(shownFailure(new InputError("a\nb", ""), new Secrets())).toBe("a\\u{a}b");
  expect(shownFailure(new Error("a\nb"), new Secrets())).toBe("a\\u{a}b");
});
