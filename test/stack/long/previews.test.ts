// Previews of unknown values.
import { expect, test } from "vitest";
import { unknownValue } from "../../engine/index.ts";
import { bundle, poll, wholeExport } from "../requests.ts";
import { buildWorld, onEachEngine, previewIsEmpty, stepsOf, succeeded } from "../world.ts";

onEachEngine({ name: "previews", withBoth: true }, (kind) => {
  test.concurrent(
    "L32, L33 unknown inputs, also without a network: no request, no crash, outputs unknown",
    async (context) => {
      const world = await buildWorld(context, kind);
      const program = (version: string): string =>
        `const first = new StaticExport("first", { domain: "docs.example.com", version: "${version}" });
         const later = (value) => first.jobId.apply(() => value);
         const second = new StaticExport("second", { domain: later("other.example.com") });
         const third = new StaticExport("third", {
           domain: later("docs.example.com"),
           version: later("pinned"),
           triggers: later([1, 2]),
           jobId: first.jobId,
           renewBefore: later("5m"),
           baseUrl: later("${world.service.url}"),
           apiKeyEnv: later("DOCS_HOSTING_ADMIN_API_KEY"),
         });
         module.exports = { domain: second.domain, pages: second.pageCount, pinned: third.version };`;
      world.program(program("v1"));
      const offline = await world.open({ env: { DOCS_HOSTING_BASE_URL: "http://127.0.0.1:1" } });
      const preview = succeeded(await offline.preview());
      expect(stepsOf(preview).sort()).toEqual(["create first", "create second", "create third"]);
      for (const name of ["domain", "pages", "pinned"]) {
        expect(preview.outputs[name]?.value).toBe(unknownValue);
      }
      expect(world.requests()).toEqual([]);
      const up = await world.up();
      expect(up.outputs["domain"]?.value).toBe("other.example.com");
      const before = await world.exported("second");
      world.requests();

      world.program(program("v2")); // the preview cannot know that the domains stay
      const next = succeeded(await world.stack.preview());
      expect(stepsOf(next)).toContain("update first");
      expect(next.summary.replace).toBe(2);
      expect(world.requests()).toEqual([]);
      expect(stepsOf(await world.up())).toEqual(["update first", "update third"]);
      const { jobId } = (await world.exported("first")).outputs;
      expect(world.requests()).toEqual([...wholeExport(jobId), poll(jobId), bundle(jobId)]);
      expect((await world.exported("third")).outputs).toMatchObject({ jobId, version: "pinned" });
      expect((await world.exported("second")).outputs).toEqual(before.outputs);
      await previewIsEmpty(world);
    },
  );
});
