// Runs that put an image into a registry are killed at random instants, repeatedly: no tag leads to a partial image, and the run
// that completes sends what is missing. SEED=… repeats a run, KILLS=… has more or fewer.
import { createHash, randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { seededRandom } from "../simulation/seededRandom.ts";
import { startFaultyProxy } from "./faultyProxy.ts";
import { crane, pushBase, pushEmptyImage, scratchFolder } from "./images.ts";
import { runUpload } from "./killedUpload.ts";
import { KillCount, KillInstants, measureRun } from "./killInstants.ts";
import { startRegistry } from "./registry.ts";

const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1e9));
const KILLS = Number(process.env["KILLS"] ?? 10);
/** The kills of one copy, before a run completes. */
const KILLS_EACH = 3;
const MB = 1024 * 1024;
const random = seededRandom(SEED);

test(
  `${KILLS} killed runs put no wrong byte and no partial image into a registry, and the next run sends what is missing (SEED=${SEED})`,
  { timeout: 60_000 + KILLS * 10_000 },
  async (context) => {
    const { host: elsewhere } = await startRegistry(context);
    const base = `${elsewhere}/nginx:1`;
    // one layer that is sent in chunks, one in a single request
    await pushBase(context, base, { amd64: 36 * MB, arm64: 3 * MB });
    const { host } = await startRegistry(context);
    const proxy = await startFaultyProxy(context, host, () => undefined);
    const folder = await scratchFolder(context);
    const site = join(folder, "site");
    await mkdir(site);
    for (const name of ["index.html", "guide.html", "film.mp4"]) {
      await writeFile(join(site, name), name.endsWith(".mp4") ? randomBytes(4 * MB) : `<h1>${name}</h1>`);
    }
    const run = (path: string, killAt?: Parameters<typeof runUpload>[5]) =>
      runUpload(context, "repositoryUpload.ts", [`${proxy.host}/${path}`, base, site], folder, {}, killAt);

    const undisturbed = await measureRun(proxy.traffic, () => run("undisturbed"));
    const digest = undisturbed.done?.split("@")[1] ?? "";
    expect(digest).toMatch(/^sha256:/);
    const instants = new KillInstants(random, proxy.traffic, undisturbed);
    const needed = await partsOf(`${host}/undisturbed@${digest}`);
    expect(needed.blobs.size).toBe(5);
    const mark = (await crane("ls", `${host}/undisturbed`)).split("\n").find((tag) => OF_OWNERS.test(tag));
    const { layers } = JSON.parse(await crane("manifest", `${host}/undisturbed:${mark ?? ""}`)) as {
      layers: Descriptor[];
    };
    for (const list of layers) needed.blobs.set(list.digest, list.size);
    const earlier = `${host}/earlier:1`;
    await pushEmptyImage(earlier);
    const earlierDigest = await crane("digest", earlier);

    const kills = new KillCount(KILLS);
    let sparedBlobs = 0;
    for (let number = 1; !kills.areEnough(); number++) {
      const path = `docs/site-${number}`;
      const repository = `${host}/${path}`;
      await crane("copy", earlier, `${repository}:current`);
      /** Every tag leads to the earlier image or the new one, and that is whole. */
      let isValidated = false;
      const tagsAreRight = async (): Promise<string[]> => {
        const tags = (await crane("ls", repository)).split("\n").filter((tag) => !OF_OWNERS.test(tag));
        const digests = await Promise.all(tags.map((tag) => crane("digest", `${repository}:${tag}`)));
        expect([digest, earlierDigest]).toEqual(expect.arrayContaining(digests));
        if (digests.includes(digest) && !isValidated) {
          expect(await crane("validate", "--remote", `${repository}@${digest}`)).toContain("PASS");
          isValidated = true;
        }
        return tags;
      };
      instants.beginCopy();
      for (let times = 0; times < KILLS_EACH && !kills.areEnough(); times++) {
        kills.add(await run(path, instants.next));
        await tagsAreRight();
      }

      const missing = await missingOf(`http://${host}/v2/${path}/blobs`, needed.blobs);
      sparedBlobs += needed.blobs.size - missing.size;
      const passedBefore = proxy.passed.length;
      const receivedBefore = proxy.received();
      expect((await run(path)).done).toBe(`done ${proxy.host}/${path}@${digest}`);
      const puts = proxy.passed.slice(passedBefore).filter(({ method }) => method === "PUT");
      const sent = puts.flatMap(({ path: to }) => new URL(to, "http://x").searchParams.getAll("digest"));
      // the configuration of a mark is `{}`
      expect(sent.filter((each) => each !== EMPTY).sort()).toEqual([...missing.keys()].sort());
      // the first pulled manifest is sent once more for each tag
      const most = [...missing.values(), ...needed.manifests.values()].reduce((sum, n) => sum + n, 0);
      expect(proxy.received() - receivedBefore).toBeLessThan(most + 10_000);
      expect(await tagsAreRight()).toEqual([
        "current",
        digest.replace(":", "-").slice(0, "sha256-".length + 16),
      ]);
      expect(await crane("digest", `${repository}:current`)).toBe(digest);
      expect(isValidated).toBe(true);
    }
    console.log(
      `killed uploads into a registry: ${kills.kills} kills, ${kills.interrupted} before the end; ${sparedBlobs} blobs of killed runs were not sent again`,
    );
  },
);

/** Tags of marks. */
const OF_OWNERS = /^docs-hosting-owner-/;

/** The digest of `{}`. */
const EMPTY = `sha256:${createHash("sha256").update("{}").digest("hex")}`;

/** Blobs and manifests of an image for several platforms, by digest: their sizes. */
async function partsOf(image: string): Promise<Record<"blobs" | "manifests", Map<string, number>>> {
  const blobs = new Map<string, number>();
  const top = await crane("manifest", image);
  const [name = "", digest = ""] = image.split("@");
  const manifests = new Map([[digest, top.length]]);
  const { manifests: platforms } = JSON.parse(top) as { manifests: Descriptor[] };
  for (const platform of platforms) {
    manifests.set(platform.digest, platform.size);
    const { config, layers } = JSON.parse(await crane("manifest", `${name}@${platform.digest}`)) as {
      config: Descriptor;
      layers: Descriptor[];
    };
    for (const blob of [config, ...layers]) blobs.set(blob.digest, blob.size);
  }
  return { blobs, manifests };
}

interface Descriptor {
  digest: string;
  size: number;
}

/** Those that a repository does not have. */
async function missingOf(url: string, parts: ReadonlyMap<string, number>): Promise<Map<string, number>> {
  const missing = new Map<string, number>();
  for (const [digest, size] of parts) {
    const { status } = await fetch(`${url}/${digest}`, { method: "HEAD" });
    expect([200, 404]).toContain(status);
    if (status === 404) missing.set(digest, size);
  }
  return missing;
}
