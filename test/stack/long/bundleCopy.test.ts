// Copies of bundles, in folders: the resource's requests, and its state, rows and links.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { PATIENTLY } from "../../simulation/patience.ts";
import { docs } from "../programFolder.ts";
import { bundle, startsOf } from "../requests.ts";
import { startSlowStore } from "../slowStore.ts";
import {
  buildWorld,
  CANARY_KEY,
  onEachEngine,
  previewIsEmpty,
  stepsOf,
  succeeded,
  type World,
} from "../world.ts";

const copy = (args = "", source = "docs"): string =>
  `const copy = new BundleCopy("copy", { source: ${source}, destination: { folder: "./copies" }, ${args} });`;
const both = (version: string, args = ""): string =>
  `const docs = ${docs(`version: "${version}"`)} ${copy(args)}
   module.exports = { uri: copy.uri, link: docs.bundleUrl };`;
const copied = async (world: World) => {
  const found = (await world.stack.exportState()).filter(({ type }) => type.endsWith(":BundleCopy"));
  expect(found).toHaveLength(1);
  return found[0] as NonNullable<(typeof found)[0]>;
};
const left = (world: World, folder = "copies"): string[] =>
  readdirSync(join(world.programFolder, folder)).sort();
/** Without the marks of their owners. */
const files = (world: World, folder?: string): string[] =>
  left(world, folder).filter((name) => !name.startsWith("."));

/** Downloaded parts of bundles. */
function partBytes(world: World): number {
  const folder = join(world.pulumiHome, "docs-hosting/downloads");
  if (!existsSync(folder)) return 0;
  const inside = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
  return inside.reduce(
    (sum, { parentPath, name }) =>
      sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

onEachEngine("bundle copies", (kind) => {
  test.concurrent(
    "a copy has its own link, is made after its export, and is not made again; a renewed link of the export changes nothing",
    async (context) => {
      const world = await buildWorld(context, kind, { linkLifetimeMs: 3_600_000 });
      world.program(both("v1"));
      expect(stepsOf(succeeded(await world.stack.preview()))).toEqual(["create docs", "create copy"]);
      expect(world.requests()).toEqual([]);
      const up = await world.up();
      const { jobId } = (await world.exported()).outputs;
      expect(world.requests((request) => request.path.endsWith("/bundle"))).toEqual([bundle(jobId)]);
      const { outputs, id, secretOutputs } = await copied(world);
      const archive = readFileSync(join(world.programFolder, String(outputs["uri"])));
      const sha256 = createHash("sha256").update(archive).digest("hex");
      expect(outputs).toMatchObject({
        version: "v1",
        jobId,
        sha256,
        size: archive.length,
        pages: 1,
        selfContained: true,
      });
      // the schema says so of bundleUrl, and the plugin stores it as null
      expect({ id, secretOutputs }).toEqual({
        id: "./copies",
        secretOutputs: kind.adapter === "native" ? ["bundleUrl"] : [],
      });
      expect(files(world)).toEqual([`${sha256}.tar.gz`]);
      expect(up.outputs["uri"]).toEqual({ value: outputs["uri"], secret: false });
      await previewIsEmpty(world);

      // three quarters of an hour later
      const later = await world.open({
        env: {
          NODE_OPTIONS: `--import ${join(import.meta.dirname, "../skewedClock.ts")}`,
          CLOCK_SKEW_MS: String(45 * 60_000),
        },
      });
      world.requests();
      expect(stepsOf(succeeded(await later.up()))).toEqual(["update docs"]);
      expect(world.requests()).toEqual([bundle(jobId)]);
      expect((await copied(world)).outputs).toEqual(outputs);
      const link = String((await world.exported()).outputs["bundleUrl"]);
      const written = await world.everythingWritten();
      expect(written).not.toContain(CANARY_KEY);
      expect(JSON.stringify(await copied(world))).not.toContain(new URL(link).search.slice(1, 40));
    },
  );

  test.concurrent(
    "missing or changed copies that a refresh finds are made again without a new job; new content is one more copy; destroying removes both",
    async (context) => {
      const world = await buildWorld(context, kind);
      await world.up(both("v1"));
      const first = files(world);
      const path = join(world.programFolder, String((await copied(world)).outputs["uri"]));
      const whole = readFileSync(path);
      for (const [harm, expected] of [
        [() => rmSync(path), /^DRIFTED: .*\.tar\.gz no longer exists\. It is removed from the state/],
        [() => writeFileSync(path, "other bytes"), /^DRIFTED: .* has changed since it was made, so job \S+ /],
      ] as const) {
        harm();
        const { logs } = succeeded(await world.stack.refresh());
        expect(logs.filter(({ ephemeral }) => !ephemeral).map(({ message }) => message)).toEqual([
          expect.stringMatching(expected),
        ]);
        const up = await world.up();
        expect(stepsOf(up)).toEqual([expect.stringMatching(/^(create|update) copy$/)]);
        expect(readFileSync(path)).toEqual(whole);
      }
      expect(startsOf(world.service.requests)).toHaveLength(1);

      world.addPage("news.md", "# News\n");
      expect(stepsOf(await world.up(both("v2")))).toEqual(["update docs", "update copy"]);
      const second = `${String((await copied(world)).outputs["sha256"])}.tar.gz`;
      expect(files(world)).toEqual([...first, second].sort());
      writeFileSync(join(world.programFolder, "copies/of-others.txt"), "left alone");
      succeeded(await world.stack.destroy());
      expect(left(world)).toEqual(["of-others.txt"]);
    },
  );

  test.concurrent(
    "another destination replaces, a site is unpacked as a whole, and two copies of one export are two",
    async (context) => {
      const world = await buildWorld(context, kind);
      await world.up(both("v1"));
      const up = await world.up(
        `const docs = ${docs(`version: "v1"`)}
         new BundleCopy("copy", { source: docs, destination: { folder: "./site", layout: "site" } });
         new BundleCopy("second", { source: docs, destination: { folder: "./second" } });`,
      );
      expect(stepsOf(up).sort()).toEqual([
        "create second",
        "create-replacement copy",
        "delete-replaced copy",
        "replace copy",
      ]);
      expect(left(world)).toEqual([]);
      expect(files(world, "second")).toHaveLength(1);
      expect(readFileSync(join(world.programFolder, "site/current/index.html"), "utf8")).toContain(
        "The first page.",
      );
    },
  );

  test.concurrent(
    "a file is copied without a service and without a key; another file under its name is noticed",
    async (context) => {
      const world = await buildWorld(context, kind);
      await world.up(both("v1"));
      const [archive = ""] = files(world);
      const kit = readFileSync(join(world.programFolder, "copies", archive));
      writeFileSync(join(world.programFolder, "kit.tar.gz"), kit);
      const bare = await world.open({
        stack: "bare",
        env: { DOCS_HOSTING_BASE_URL: undefined, DOCS_HOSTING_ADMIN_API_KEY: undefined },
      });
      world.program(
        `new BundleCopy("copy", { source: { file: "kit.tar.gz", version: "v1" }, destination: { folder: "./inside" } });`,
      );
      world.requests();
      succeeded(await bare.up());
      expect(files(world, "inside")).toEqual([archive]);
      await previewIsEmpty(world, bare);
      writeFileSync(join(world.programFolder, "kit.tar.gz"), "<html>");
      const { ok, error } = await bare.up();
      expect(ok).toBe(false);
      expect(error).toContain("the file kit.tar.gz");
      expect(files(world, "inside")).toEqual([archive]);
      expect(world.requests()).toEqual([]);
    },
  );

  test.concurrent.for(["Ctrl-C", "kill -9"])(
    "a download that %s interrupts continues in the next up, with no second job, and no key for the store",
    async (cut, context) => {
      const world = await buildWorld(context, kind);
      const store = await startSlowStore(world.programFolder);
      context.onTestFinished(() => store.close());
      world.answerLinks({ body: { bundleUrl: store.url, expiresAt: new Date(Date.now() + 3_600_000) } });
      world.program(both("v1"));
      const interrupt = new AbortController();
      const running = world.stack.up({ signal: interrupt.signal });
      await vi.waitUntil(() => partBytes(world) >= 4_000_000, PATIENTLY);
      if (cut === "Ctrl-C") interrupt.abort();
      else for (const pid of world.stack.providerPids()) process.kill(pid, "SIGKILL");
      const { ok, error } = await running;
      expect(ok).toBe(false);
      if (cut === "Ctrl-C") expect(error).toContain("the run was cancelled. Nothing was published.");
      expect(existsSync(join(world.programFolder, "copies"))).toBe(false);

      expect(stepsOf(await world.up())).toEqual(["create copy"]);
      expect(files(world)).toEqual([`${store.sha256}.tar.gz`]);
      expect(store.asked.map(({ authorization }) => authorization)).toEqual([undefined, undefined]);
      const from = Number(/^bytes=(\d+)-$/.exec(store.asked[1]?.range ?? "")?.[1]);
      expect(from).toBeGreaterThanOrEqual(4_000_000);
      expect(startsOf(world.service.requests)).toHaveLength(1);
      expect(partBytes(world)).toBe(0);
      await previewIsEmpty(world);
    },
  );
});
