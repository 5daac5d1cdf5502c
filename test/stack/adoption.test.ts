// Jobs that were started elsewhere or earlier, taken over by the input `jobId`.
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { bundle, poll, wholeExport } from "./requests.ts";
import { buildWorld, CANARY_KEY, onEachEngine, previewIsEmpty, stepsOf, succeeded } from "./world.ts";

const docs = (args: Record<string, string>): string =>
  `new StaticExport("docs", ${JSON.stringify({ domain: "docs.example.com", ...args })});`;

/** Starts a job as somebody else would, without Pulumi. */
async function startElsewhere(serviceUrl: string): Promise<string> {
  const reply = await fetch(`${serviceUrl}/v1/static-export/jobs`, {
    method: "POST",
    headers: { authorization: `Bearer ${CANARY_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ domain: "docs.example.com" }),
  });
  return ((await reply.json()) as { jobId: string }).jobId;
}

/** The unpacked archive behind a link. */
async function download(link: unknown): Promise<string> {
  const reply = await fetch(String(link));
  return gunzipSync(Buffer.from(await reply.arrayBuffer())).toString("latin1");
}

onEachEngine("adoption", (kind) => {
  test.concurrent("L27 an export made elsewhere is adopted: nothing is started", async (context) => {
    const world = await buildWorld(context, kind);
    const jobId = await startElsewhere(world.service.url);
    world.requests();
    world.program(docs({ jobId }));
    expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["create docs"]);
    expect(world.requests()).toEqual([poll(jobId), bundle(jobId)]);
    const { id, outputs } = await world.exported();
    expect(id).toBe("docs.example.com");
    expect(outputs).toMatchObject({ jobId, version: jobId, status: "completed", pageCount: 1 });
    expect(await download(outputs["bundleUrl"])).toContain("The first page.");
    await previewIsEmpty(world);
  });

  test.concurrent(
    "L27 back to an older job: its content and a fresh link, then on to new ones",
    async (context) => {
      const world = await buildWorld(context, kind);
      world.program(docs({ version: "v1" }));
      succeeded(await world.stack.up());
      const { jobId: first, bundleUrl: firstLink } = (await world.exported()).outputs;
      world.addPage("news.md", "# News\n\nThe second page.\n");
      world.program(docs({ version: "v2" }));
      succeeded(await world.stack.up());
      expect(await download((await world.exported()).outputs["bundleUrl"])).toContain("The second page.");
      world.requests();

      world.program(docs({ version: "v1 again", jobId: String(first) }));
      expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["update docs"]);
      expect(world.requests()).toEqual([poll(first), bundle(first)]);
      const back = (await world.exported()).outputs;
      expect(back).toMatchObject({ jobId: first, version: "v1 again", pageCount: 1 });
      expect(back["bundleUrl"]).not.toBe(firstLink);
      expect(await download(back["bundleUrl"])).not.toContain("The second page.");
      world.requests();

      world.program(docs({ version: "v1 again" }));
      expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["update docs"]);
      expect(world.requests()).toEqual([]);
      const { jobId: kept, version, bundleUrl } = (await world.exported()).outputs;
      expect([kept, version, bundleUrl]).toEqual([first, "v1 again", back["bundleUrl"]]);

      world.program(docs({ version: "v3" }));
      expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["update docs"]);
      const { jobId } = (await world.exported()).outputs;
      expect(jobId).not.toBe(first);
      expect(world.requests()).toEqual(wholeExport(jobId));
      await previewIsEmpty(world);
    },
  );

  test.concurrent("L28, J03 whatever stands in a jobId, it reaches no other path", async (context) => {
    const world = await buildWorld(context, kind);
    const jobIds = [
      "../../../v2/agent/project/job/1",
      "%2e%2e",
      "a/b?c=d#e",
      "\\..\\..\\agent",
      "https://elsewhere.example.com/",
      "no-such-job",
    ];
    world.program(
      `${JSON.stringify(jobIds)}.forEach((jobId, index) =>
         new StaticExport("docs" + index, { domain: "docs.example.com", jobId }));`,
    );
    const up = await world.stack.up({ continueOnError: true });
    expect(up.ok).toBe(false);
    for (const jobId of jobIds) expect(up.error).toContain(`there is no export job ${jobId}`);
    expect(world.requests().sort()).toEqual(jobIds.map((id) => poll(encodeURIComponent(id))).sort());
    expect((await world.stack.exportState()).filter(({ custom }) => custom)).toEqual([]);
    world.program(docs({ jobId: ".." })); // a path that no encoding keeps from being resolved
    expect((await world.stack.preview()).error).toContain("property jobId value");
    expect(world.requests()).toEqual([]);
  });

  test.concurrent(
    "L28 a job that failed: its reason, the old export stays, and nothing is started",
    async (context) => {
      const world = await buildWorld(context, kind);
      world.program(docs({}));
      succeeded(await world.stack.up());
      const { outputs } = await world.exported();
      const failed = await startElsewhere(world.service.url);
      const undo = world.service.intercept(({ jobId }) =>
        jobId === failed ? { body: { status: "failed", error: "guide.md: unclosed code block" } } : undefined,
      );
      world.requests();
      world.program(docs({ jobId: failed }));
      for (let times = 0; times < 2; times++) {
        const up = await world.stack.up();
        expect(up.ok).toBe(false);
        expect(up.error).toContain(`job ${failed} failed: the service says: guide.md: unclosed code block.`);
        expect(up.error).toContain(`The link to job ${String(outputs["jobId"])} stays in place.`);
        expect(world.requests()).toEqual([poll(failed)]);
        expect((await world.exported()).outputs).toEqual(outputs);
      }
      undo();
      world.program(docs({}));
      await previewIsEmpty(world);
    },
  );
});
