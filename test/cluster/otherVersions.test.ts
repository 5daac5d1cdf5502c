// A page names files after their content, so another version names others. Readers load pages and such a file of each, by a connection
// of its own, so that any pod may answer, while releases replace the pods.
import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, type TestContext } from "vitest";
import { registryWithBase } from "./closedNetwork.ts";
import { buildInstallation, type Installation, until } from "./installation.ts";
import { list } from "./kubectl.ts";
import { filesOf, openPage, startReaders } from "./readers.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Page loads of each kind of installation, at least: more of them are more releases. `PAGES=10000` takes some minutes. */
const PAGES = Number(process.env["PAGES"] ?? 300);
const READERS = 8;
/** One pod after the other, so that two versions serve for as long as they can. */
const VALUES = {
  replicas: 3,
  strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
};

/** How a site comes into the pods. */
const KINDS = {
  "a fetched site": () => Promise.resolve({ config: {} }),
  "a site in an image": async (context: TestContext) => {
    const { host, base } = await registryWithBase(context);
    return {
      program: join(ROOT, "examples/air-gapped/index.ts"),
      config: { repository: `${host}/docs/site`, base },
    };
  },
};

test.for(Object.entries(KINDS))(
  "of %s, no page lacks a file while releases replace the pods, nor does a page that was opened before",
  { timeout: 480_000 + PAGES * 200 },
  async ([, kindOf], context) => {
    const site = await mkdtemp(join(tmpdir(), "versions-"));
    context.onTestFinished(() => rm(site, { recursive: true }));
    await writeEdition(site, 1);
    const { config, ...program } = await kindOf(context);
    const installation = await buildInstallation(context, {
      site,
      ...program,
      values: VALUES,
      servesImage: "program" in program,
      config: { version: "1", ...config },
    });
    await installation.up();
    const url = await installation.url();

    const readers = startReaders(url, READERS);
    const broken: string[] = [];
    let edition = 1;
    do {
      const tab = await openPage(url);
      const opened = await namesOfPods(installation);
      edition += 1;
      await writeEdition(site, edition);
      await installation.setConfig({ version: String(edition) });
      await installation.up();
      await until("the pods before are gone", async () =>
        (await namesOfPods(installation)).every((name) => !opened.includes(name)),
      );
      broken.push(...(await filesOf(url, tab)));
      expect(tab.files).toEqual([expect.stringContaining(`picture-${edition - 1}-`)]);
    } while (readers.pages() < PAGES);

    const seen = await readers.end();
    const loads = Object.values(seen.editions).reduce((sum, { pages }) => sum + pages, 0);
    console.log(
      `${loads} pages of ${edition} versions, ${seen.mixed} of them while two versions served; broken: ${seen.broken.length}; ` +
        `files of tabs that were opened before: broken: ${broken.length}`,
    );
    expect(broken).toEqual([]);
    expect(seen.broken.slice(0, 10)).toEqual([]);
    expect(Object.keys(seen.editions)).toHaveLength(edition);
    expect(seen.mixed).toBeGreaterThan(10);
  },
);

/** A page with a picture that is named after its content, and with nothing of the edition before. */
async function writeEdition(site: string, edition: number): Promise<void> {
  for (const name of await readdir(site)) await rm(join(site, name));
  const picture = `picture ${edition}`.padEnd(2000, ".");
  const digest = createHash("sha256").update(picture).digest("hex").slice(0, 16);
  const name = `picture-${edition}-${digest}.png`;
  await writeFile(join(site, name), picture);
  await writeFile(join(site, "index.md"), `# Welcome\n\nThe edition ${edition}.\n\n![Picture](${name})\n`);
}

/** Also of pods that are ending. */
const namesOfPods = async ({ kubectl }: Installation): Promise<string[]> =>
  (await list(kubectl, "pods", "--selector=app.kubernetes.io/instance=docs")).map(
    ({ metadata }) => metadata.name,
  );
