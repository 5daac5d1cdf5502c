// Signed pushes that are killed between their parts: every tag always leads to the earlier image or to a whole, signed one, and the
// next run finishes the copy. SEED=… repeats a run, KILLS=… has more.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PREDICATE_TYPES } from "../../provider/publishing/images/provenance/imageStatements.ts";
import { RegistryClient } from "../../provider/publishing/images/registry/client.ts";
import { parseRepository } from "../../provider/publishing/images/registry/reference.ts";
import { isSignedImage } from "../../provider/publishing/images/signing/signedImage.ts";
import { verifierFrom } from "../../provider/publishing/images/signing/verifier.ts";
import { seededRandom } from "../simulation/seededRandom.ts";
import { startFaultyProxy } from "./faultyProxy.ts";
import { crane, pushEmptyImage, scratchFolder } from "./images.ts";
import { runUpload } from "./killedUpload.ts";
import { KillCount, measureRun } from "./killInstants.ts";
import { startRegistry } from "./registry.ts";
import { KEYS, verifiersWith } from "./signing.ts";
import { operation } from "./siteCopies.ts";

const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1e9));
const KILLS = Number(process.env["KILLS"] ?? 6);
const random = seededRandom(SEED);

test(
  `after each of ${KILLS} kills of signed pushes, a tag leads to a whole, signed image or to the earlier one (SEED=${SEED})`,
  { timeout: 60_000 + KILLS * 15_000 },
  async (context) => {
    const { host } = await startRegistry(context);
    const proxy = await startFaultyProxy(context, host, () => undefined);
    const folder = await scratchFolder(context);
    const site = await siteIn(folder);
    const { privateKey, publicKey } = KEYS["ECDSA P-256"]();
    const env = { SIGNING_KEY: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
    const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
    const { signature } = await verifiersWith(context, pem);
    const earlier = `${host}/earlier:1`;
    await pushEmptyImage(earlier);
    const earlierDigest = await crane("digest", earlier);
    const run = (path: string, killAt?: Parameters<typeof runUpload>[5]) =>
      runUpload(context, "repositoryUpload.ts", [`${proxy.host}/${path}`, "", site], folder, env, killAt);
    const whole = await measureRun(proxy.traffic, () => run("undisturbed"));
    const digest = whole.done?.split("@")[1] ?? "";

    const kills = new KillCount(KILLS);
    let reached = 0;
    for (let number = 1; !kills.areEnough(); number++) {
      const path = `docs/site-${number}`;
      const repository = `${host}/${path}`;
      await crane("copy", earlier, `${repository}:current`);
      /** @returns whether a tag of ours leads to the image */
      const tagsAreRight = async (): Promise<boolean> => {
        const digests = [await tagged(repository, "current"), await tagged(repository, ownTag(digest))];
        expect([digest, earlierDigest, undefined]).toEqual(expect.arrayContaining(digests));
        if (!digests.includes(digest)) return false;
        expect(await crane("validate", "--remote", `${repository}@${digest}`)).toContain("PASS");
        const client = new RegistryClient(parseRepository(repository), await operation(context), {
          actions: "pull",
        });
        const wanted = { predicateTypes: PREDICATE_TYPES, manifests: [] };
        expect(await isSignedImage(client, digest, wanted, verifierFrom(pem))).toBe(true);
        return true;
      };
      // after a request, so that each gap between two parts is met
      const requests = Math.ceil(random() * whole.requests);
      kills.add(await run(path, () => proxy.traffic.further({ requests })));
      if (await tagsAreRight()) reached++;
      expect((await run(path)).done).toBe(`done ${proxy.host}/${path}@${digest}`);
      expect(await tagsAreRight()).toBe(true);
      expect(await tagged(repository, "current")).toBe(digest);
      await signature["cosign3"]?.(`${repository}:current`);
    }
    console.log(
      `killed signed pushes: ${kills.kills} kills, ${kills.interrupted} before the end; after ${reached} of them a tag led to the signed image`,
    );
  },
);

/** A folder with a site. */
async function siteIn(folder: string): Promise<string> {
  const site = join(folder, "site");
  await mkdir(site);
  for (const name of ["index.html", "guide.html"]) {
    await writeFile(join(site, name), `<h1>${name}</h1>`.repeat(200));
  }
  return site;
}

/** The digest that a tag leads to, if it exists. */
async function tagged(repository: string, tag: string): Promise<string | undefined> {
  const [host = "", ...path] = repository.split("/");
  const accept = "application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json";
  const url = `http://${host}/v2/${path.join("/")}/manifests/${tag}`;
  const { status, headers } = await fetch(url, { method: "HEAD", headers: { accept } });
  expect([200, 404]).toContain(status);
  return headers.get("docker-content-digest") ?? undefined;
}

/** The tag of a copy itself. */
function ownTag(digest: string): string {
  return digest.replace(":", "-").slice(0, "sha256-".length + 16);
}
