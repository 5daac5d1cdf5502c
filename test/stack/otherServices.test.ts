// Other implementations of the same API, which accept and return more than needed.
import { expect, test } from "vitest";
import { docs } from "./programFolder.ts";
import { START, wholeExport } from "./requests.ts";
import { buildWorld, onEachEngine, previewIsEmpty, stepsOf, succeeded } from "./world.ts";

onEachEngine("other services", (kind) => {
  test.concurrent(
    "export options are sent with the start, a change of them exports again, and the size of the bundle is an output",
    async (context) => {
      const world = await buildWorld(context, kind);
      const starts: unknown[] = [];
      let sized = false;
      world.service.intercept(({ method, path, body, jobId }) => {
        if (`${method} ${path}` === START) starts.push(body);
        if (!path.endsWith("/bundle")) return undefined;
        const bundleUrl = "https://storage.example.com/docs.tar.gz?signature=5igned";
        const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
        return { body: { jobId, bundleUrl, expiresAt, ...(sized && { sizeBytes: 123_456 }) } };
      });
      const program = (exportOptions: string): string =>
        `const site = ${docs(`exportOptions: ${exportOptions}`)}
         module.exports = { size: site.bundleSize };`;
      await world.up(program("undefined"));
      expect((await world.exported()).outputs).not.toHaveProperty("bundleSize");
      world.requests();

      sized = true;
      world.program(program(`{ paths: ["/"], draft: null, theme: pulumi.secret("d4rk") }`));
      const preview = succeeded(await world.stack.preview());
      expect(preview.logs.map(({ message }) => message)).toContainEqual(
        "NEW_CONTENT: exportOptions changed, so the site is exported again",
      );
      const up = await world.up();
      expect(stepsOf(up)).toEqual(["update docs"]);
      expect(up.outputs["size"]).toEqual({ value: 123_456, secret: false });
      const { outputs } = await world.exported();
      expect(world.requests()).toEqual(wholeExport(outputs["jobId"]));
      expect(starts).toEqual([
        { domain: "docs.example.com" },
        { domain: "docs.example.com", paths: ["/"], draft: null, theme: "d4rk" },
      ]);
      await previewIsEmpty(world);
    },
  );
});
