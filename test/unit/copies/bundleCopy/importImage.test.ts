// Imports of images, signed or not.
import { generateKeyPairSync } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { create } from "tar";
import { describe, expect, test, type TestContext } from "vitest";
import { bundleCopy } from "../../../../provider/copies/bundleCopy/lifeCycle.ts";
import type { BundleCopyState } from "../../../../provider/copies/bundleCopy/state.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { type RegistryStub, startRegistryStub, storeBase } from "../../../simulation/registryStub.ts";
import { expectSame, exported, importTest, V1 } from "./importedCopy.ts";

const { tested, context, fileOf, sha256Of, packed, copied, imported } = importTest();

const newKey = (): string =>
  generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();

describe("an image", () => {
  test("records its source, and its files are compared with the bundle's", async (test) => {
    const registry = await startRegistryStub(test);
    const repository = `${registry.host}/docs/site`;
    const made = await copied({ repository }, { source: V1 });
    registry.requests.length = 0;
    const { program, state } = await imported(made.outputs.uri);
    expect(program).toEqual({ source: V1, destination: { repository } });
    expectSame(state, made);
    expect(registry.requests.filter((each) => !/^(GET|HEAD) /.test(each))).toEqual([]);
    expect(tested.calls.filter((call) => call.startsWith("POST"))).toEqual([
      expect.stringContaining("/7f3a/bundle"),
    ]);
  });

  test("with a search, a tag and a job as its version is recognised", async (test) => {
    const registry = await startRegistryStub(test);
    const repository = `${registry.host}/docs/site`;
    const made = await copied({ repository, tag: "latest" }, { offlineSearch: true });
    const { program, state } = await imported(`${made.outputs.uri}?tag=latest`);
    expect(program).toEqual({
      source: exported,
      destination: { repository, tag: "latest" },
      offlineSearch: true,
    });
    expectSame(state, made);
  });

  test("of the same files in another archive is refused: the image names its archive", async (test) => {
    const { host } = await startRegistryStub(test);
    const made = await copied({ repository: `${host}/docs/site`, plainHttp: true }, { source: V1 });
    const { program } = await imported(`${made.outputs.uri}?plainHttp=true`);
    expect(program["destination"]).toHaveProperty("plainHttp", true);
    const cwd = join(tested.folder, "site-v1");
    create({ file: fileOf("v1"), cwd, gzip: { level: 1 }, portable: true, sync: true }, readdirSync(cwd));
    await expect(imported(made.outputs.uri)).rejects.toThrow("but the copy was made from");
  });

  test("on a base names it, and its labels are not mistaken for those of the copy", async (test) => {
    const registry = await startRegistryStub(test);
    const repository = `${registry.host}/docs/site`;
    storeBase(registry, "1.30", { "org.opencontainers.image.revision": "c0ffee" });
    const base = `${registry.host}/nginx:1.30`;
    const made = await copied({ repository, base }, { source: { file: fileOf("v1"), version: "v1" } });
    await expect(imported(made.outputs.uri)).rejects.toThrow("does not record the domain and the jobId");
    const { program, state } = await imported(`${made.outputs.uri}?file=${fileOf("v1")}`);
    expect(program).toEqual({
      source: { file: fileOf("v1"), version: "v1" },
      destination: { repository, base },
    });
    expectSame(state, made);
  });

  test("that is missing, is no copy, or was made from another bundle is refused", async (test) => {
    const registry = await startRegistryStub(test);
    const repository = `${registry.host}/docs/site`;
    const made = await copied({ repository }, { source: V1 });
    await expect(imported(`${repository}@sha256:${"0".repeat(64)}`)).rejects.toThrow("there is no image");
    storeBase(registry, "1.30");
    const digest = [...registry.manifests.keys()].at(-1) ?? "";
    await expect(imported(`${repository}@${digest}`)).rejects.toThrow(
      "has no annotation docs-hosting.bundle.sha256. Nothing was imported. It is no copy of this package.",
    );
    packed("v2", {});
    await expect(imported(`${made.outputs.uri}?file=${fileOf("v2")}`)).rejects.toThrow(
      `the bundle of the file ${fileOf("v2")} has the SHA-256 ${sha256Of("v2")}, but the copy was made from ${sha256Of("v1")}`,
    );
  });

  describe("that is signed", () => {
    const [key, other] = [newKey(), newKey()];
    const signed = async (
      test: TestContext,
    ): Promise<{ made: BundleCopyState; registry: RegistryStub; at: string }> => {
      const registry = await startRegistryStub(test);
      tested.variables = { SIGNING_KEY: key, OTHER_KEY: other };
      const repository = `${registry.host}/docs/site`;
      const made = await copied({ repository }, { source: V1, signingKeyEnv: "SIGNING_KEY" });
      registry.requests.length = 0;
      return { made, registry, at: `${made.outputs.uri}?signingKeyEnv` };
    };

    test("has the key's variable in its program, and all parts of the signature in its state", async (test) => {
      const { made, registry, at } = await signed(test);
      const { program, state } = await imported(`${at}=SIGNING_KEY`);
      expect(program["signingKeyEnv"]).toBe("SIGNING_KEY");
      expectSame(state, made);
      expect(registry.requests.filter((each) => !/^(GET|HEAD) /.test(each))).toEqual([]);
      // the next operation that writes makes the mark: then the image belongs to both stacks until the last one removes it
      const refreshed = await bundleCopy.read(context(), state);
      const { inputs } = bundleCopy.check(program, context().configuration);
      const marked = await bundleCopy.update(context(), refreshed?.state ?? state, inputs);
      await bundleCopy.remove(context(), made);
      expect((await bundleCopy.read(context(), marked))?.state).toEqual(marked);
      await bundleCopy.remove(context(), marked);
      expect([...registry.manifests.keys()]).toEqual([]);
    });

    test("is refused with another key, with none in the variable, and with the key in place of its variable", async (test) => {
      const { at, registry } = await signed(test);
      await expect(imported(`${at}=OTHER_KEY`)).rejects.toThrow(
        "the key in OTHER_KEY signed no image, provenance and SBOM there. Nothing was imported. Another key signed the image",
      );
      registry.requests.length = 0;
      await expect(imported(`${at}=NO_KEY`)).rejects.toThrow(
        "the environment variable NO_KEY, which `signingKeyEnv` names, is not set. Nothing was imported",
      );
      const refusal = await imported(`${at}=${encodeURIComponent(key)}`).catch(String);
      expect(refusal).toContain("must be the name of an environment variable, not the key itself");
      expect(refusal).not.toContain("PRIVATE");
      expect(registry.requests).toEqual([]);
    });

    test.for([
      ["the signature", /\.sig$/],
      ["the attestations", /\.att$/],
    ] as const)("without %s is refused", async ([, tag], test) => {
      const { at, registry } = await signed(test);
      const name = [...registry.manifests.keys()].find((each) => tag.test(each)) ?? "";
      registry.manifests.delete(name);
      await expect(imported(`${at}=SIGNING_KEY`)).rejects.toThrow("the key in SIGNING_KEY signed no image");
    });

    test("without the referrer of a document is refused", async (test) => {
      const { made, at, registry } = await signed(test);
      const { artifacts } = made.bookkeeping.copies[0]?.copy.parts as { artifacts: string[] };
      expect(registry.manifests.delete(artifacts.at(-1) ?? "")).toBe(true);
      await expect(imported(`${at}=SIGNING_KEY`)).rejects.toThrow("the key in SIGNING_KEY signed no image");
    });

    test("without the key's name is imported with a warning", async (test) => {
      const { made } = await signed(test);
      const reporter = recordingReporter();
      const { inputs } = await bundleCopy.import({ ...context(), reporter }, made.outputs.uri);
      expect(inputs).not.toHaveProperty("signingKeyEnv");
      expect(reporter.lines.warn).toEqual([
        expect.stringContaining(`${made.outputs.uri} is signed, and its ID does not name the key`),
      ]);
    });
  });

  test("that is not signed is imported without a warning, and not with the name of a key", async (test) => {
    const { host } = await startRegistryStub(test);
    tested.variables = { SIGNING_KEY: newKey() };
    const made = await copied({ repository: `${host}/docs/site` }, { source: V1 });
    const reporter = recordingReporter();
    await bundleCopy.import({ ...context(), reporter }, made.outputs.uri);
    expect(reporter.lines.warn).toEqual([]);
    await expect(imported(`${made.outputs.uri}?signingKeyEnv=SIGNING_KEY`)).rejects.toThrow(
      "signed no image, provenance and SBOM there. Nothing was imported. Leave signingKeyEnv out",
    );
  });
});
