// Jobs that were started elsewhere or earlier, adopted by the input `jobId`.
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { docs } from "../programFolder.ts";
import { startJob } from "../releases.ts";
import { bundle, poll, wholeExport } from "../requests.ts";
import { buildWorld, onEachEngine, previewIsEmpty, stepsOf } from "../world.ts";

/** The unpacked archive behind a link. */
async function download(link: unknown): Promise<string> {
  const reply = await fetch(String(link));
  return gunzipSync(Buffer.from(await reply.arrayBuffer())).toString("latin1");
}

onEachEngine("adoption", (kind) => {
  test.concurrent(
    "L27, L28 an export made elsewhere, then a new one, back to the first, and on: its content and a new link, nothing is started; a failed one changes nothing",
    async (context) => {
      const world = await buildWorld(context, kind);
      const first = await startJob(world.service);
      const adopted = `jobId: "${first}"`;
      world.requests();
      expect(stepsOf(await world.up(docs(adopted)))).toEqual(["create docs"]);
      expect(world.requests()).toEqual([poll(first), bundle(first)]);
      const { id, outputs } = await world.exported();
      expect(id).toBe("docs.example.com");
      expect(outputs).toMatchObject({ jobId: first, version: first, status: "completed", pageCount: 1 });
      expect(await download(outputs["bundleUrl"])).toContain("The first page.");

      world.addPage("news.md", "# News\n\nThe second page.\n");
      await world.up(docs(`version: "v2"`));
      expect(await download((await world.exported()).outputs["bundleUrl"])).toContain("The second page.");
      world.requests();

      expect(stepsOf(await world.up(docs(`version: "v1 again", ${adopted}`)))).toEqual(["update docs"]);
      expect(world.requests()).toEqual([poll(first), bundle(first)]);
      const back = (await world.exported()).outputs;
      expect(back).toMatchObject({ jobId: first, version: "v1 again", pageCount: 1 });
      expect(back["bundleUrl"]).not.toBe(outputs["bundleUrl"]);
      expect(await download(back["bundleUrl"])).not.toContain("The second page.");
      world.requests();

      expect(stepsOf(await world.up(docs(`version: "v1 again"`)))).toEqual(["update docs"]);
      expect(world.requests()).toEqual([]);
      const { jobId: kept, version, bundleUrl } = (await world.exported()).outputs;
      expect([kept, version, bundleUrl]).toEqual([first, "v1 again", back["bundleUrl"]]);

      expect(stepsOf(await world.up(docs(`version: "v3"`)))).toEqual(["update docs"]);
      const { outputs: third } = await world.exported();
      expect(third["jobId"]).not.toBe(first);
      expect(world.requests()).toEqual(wholeExport(third["jobId"]));

      const failed = await startJob(world.service);
      world.answerLooks({ body: { status: "failed", error: "guide.md: unclosed code block" } });
      world.requests();
      world.program(docs(`version: "v3", jobId: "${failed}"`));
      const up = await world.stack.up();
      expect(up.ok).toBe(false);
      expect(up.error).toContain(`job ${failed} failed: the service says: guide.md: unclosed code block.`);
      expect(up.error).toContain(`The link to job ${String(third["jobId"])} stays in place.`);
      expect(world.requests()).toEqual([poll(failed)]);
      expect((await world.exported()).outputs).toEqual(third);
      world.program(docs(`version: "v3"`));
      await previewIsEmpty(world);
    },
  );
});
