// An answer that the host's encoder refuses: the run ends, and nothing is lost.
import { join } from "node:path";
import { expect, test } from "vitest";
import { docs } from "../programFolder.ts";
import { startsOf } from "../requests.ts";
import { buildWorld, onEachEngine, stepsOf } from "../world.ts";

onEachEngine("unsent answers", (kind) => {
  test.concurrent(
    "an answer that cannot be sent ends the run with an error, and the next up continues the same job",
    async (context) => {
      const hook = join(import.meta.dirname, "../unsendableText.ts");
      const world = await buildWorld(context, kind, { env: { NODE_OPTIONS: `--import ${hook}` } });
      world.program(docs());
      const undo = world.answerLooks({ status: 400, body: { error: "unsendable" } });
      const up = await world.stack.up();
      expect(up.ok).toBe(false);
      expect(up.text).toContain(
        kind.adapter === "native"
          ? "docs-hosting: URI malformed"
          : "pulumi-docs-hosting: an answer could not be sent (URIError), so this run ends.",
      );
      const [record] = world.resumeRecords();
      undo();
      expect(stepsOf(await world.up())).toEqual(["create docs"]);
      expect((await world.exported()).outputs["jobId"]).toBe(record?.jobId);
      expect(startsOf(world.service.requests)).toHaveLength(1);
      expect(world.resumeRecords()).toEqual([]);
    },
  );
});
