// The signature of an image is verified before its release is registered: in the preview if the image is known there.
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { startRegistryStub } from "../simulation/registryStub.ts";
import { IMAGE_DIGEST, newSigner, signImage } from "../simulation/signedImage.ts";
import { releaseLogFile, standInRelease } from "./standInRelease.ts";
import { buildWorld, onEachEngine } from "./world.ts";

/** A program that installs an image, given as an expression. */
const installs = (log: string, publicKey: string, image: string): string => `
  ${standInRelease(log)}
  const provider = { async create(inputs) { return { id: "made", outs: { image: inputs.wanted } }; } };
  class Made extends pulumi.dynamic.Resource {
    constructor(wanted) { super(provider, "made", { wanted, image: undefined }); }
  }
  new SelfHostedDocs("docs", {
    staticExport: { image: ${image}, version: "v1" },
    chart: "oci://registry.invalid/docs",
    deploymentKind: "air-gapped",
    verify: { publicKey: ${JSON.stringify(publicKey)}, plainHttp: true },
  });`;

onEachEngine("an image whose signature is verified", (kind) => {
  test.concurrent(
    "is refused in the preview and in the run while it is unsigned, and installed once it is signed",
    async (context) => {
      const [world, registry] = [await buildWorld(context, kind), await startRegistryStub(context)];
      const [log, signer] = [releaseLogFile(world), newSigner()];
      const image = `${registry.host}/docs@${IMAGE_DIGEST}`;
      world.program(installs(log, signer.publicKey, JSON.stringify(image)));
      for (const run of ["preview", "up"] as const) {
        const { ok, error } = await world.stack[run]();
        expect(ok).toBe(false);
        expect(error).toContain(
          `SelfHostedDocs "docs": ${image} has no signature. Nothing was installed, and no pod was changed.`,
        );
        expect(error).not.toMatch(/^\s+at /m);
      }
      expect(existsSync(log)).toBe(false);

      signImage(registry, signer);
      expect(await world.stack.up()).toMatchObject({ ok: true });
      expect(readFileSync(log, "utf8")).toBe("install v1\n");

      signImage(registry, newSigner());
      const { ok, error } = await world.stack.preview();
      expect(ok).toBe(false);
      expect(error).toContain(`has no valid signature by the public key with the SHA-256 ${signer.keyId}`);
    },
  );

  test.concurrent("that a preview does not know is refused in the run", async (context) => {
    const [world, registry] = [await buildWorld(context, kind), await startRegistryStub(context)];
    const log = releaseLogFile(world);
    const image = `${registry.host}/docs@${IMAGE_DIGEST}`;
    const made = `new Made(${JSON.stringify(image)}).image`;
    world.program(installs(log, newSigner().publicKey, made));
    expect(await world.stack.preview()).toMatchObject({ ok: true });
    expect(registry.requests).toEqual([]);
    const { ok, error } = await world.stack.up();
    expect(ok).toBe(false);
    expect(error).toContain("has no signature");
    expect(existsSync(log)).toBe(false);
  });
});
