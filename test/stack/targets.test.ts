// Operations on a part of a stack: resources that are left out send no request.
import { expect, test } from "vitest";
import { poll, startsOf, wholeExport } from "./requests.ts";
import { buildWorld, nameOf, onEachEngine, previewIsEmpty, stepsOf, succeeded } from "./world.ts";

onEachEngine("targets", (kind) => {
  test.concurrent(
    "L30, C06 three exports of one domain, each with its own job; --exclude, --target-dependents and --replace: resources that are left out send no request, even if they changed",
    async (context) => {
      const world = await buildWorld(context, kind);
      const program = (version: string): string => `
          const parent = new pulumi.ComponentResource("test:index:Manuals", "manuals", {});
          const site = (name, opts, args) =>
            new StaticExport(name, { domain: "docs.example.com", version: "${version}", ...args }, opts);
          const one = site("one", { parent });
          site("two", { parent }, { triggers: [one.jobId] });
          site("three");`;
      const jobs = async (): Promise<Record<string, unknown>> =>
        Object.fromEntries(
          (await world.stack.exportState()).map(({ urn, outputs }) => [nameOf(urn), outputs["jobId"]]),
        );
      await world.up(program("v1"));
      const first = await jobs();
      const made = await Promise.all(["one", "two", "three"].map((name) => world.exported(name)));
      for (const { outputs } of made) expect(outputs["bundleUrl"]).toContain(outputs["jobId"]);
      expect(new Set(made.map(({ outputs }) => outputs["jobId"])).size).toBe(3);
      expect(startsOf(world.service.requests)).toHaveLength(3);
      const [one, two, three] = made.map(({ urn }) => urn);
      world.requests();

      world.program(program("v2"));
      const excludes = [one ?? "", two ?? ""];
      expect(stepsOf(succeeded(await world.stack.up({ excludes })))).toEqual(["update three"]);
      const second = await jobs();
      expect(second).toMatchObject({ one: first["one"], two: first["two"] });
      expect(world.requests()).toEqual(wholeExport(second["three"]));

      const dependants = { targets: [one ?? ""], targetDependents: true };
      expect(stepsOf(succeeded(await world.stack.up(dependants)))).toEqual(["update one", "update two"]);
      const third = await jobs();
      expect(third["three"]).toBe(second["three"]);
      expect(world.requests()).toEqual([...wholeExport(third["one"]), ...wholeExport(third["two"])]);

      const replaces = [three ?? ""];
      const replaced = succeeded(await world.stack.up({ replaces }));
      expect(stepsOf(replaced)).toEqual([
        "create-replacement three",
        "replace three",
        "delete-replaced three",
      ]);
      const fourth = await jobs();
      expect(fourth).toMatchObject({ one: third["one"], two: third["two"] });
      expect(fourth["three"]).not.toBe(third["three"]);
      expect(world.requests()).toEqual(wholeExport(fourth["three"]));

      succeeded(await world.stack.refresh(dependants));
      expect(world.requests().sort()).toEqual([poll(fourth["one"]), poll(fourth["two"])].sort());
      await previewIsEmpty(world);

      expect(stepsOf(succeeded(await world.stack.destroy({ excludes: [two ?? ""] })))).toEqual([
        "delete three",
      ]);
      expect(stepsOf(succeeded(await world.stack.destroy(dependants)))).toEqual(["delete two", "delete one"]);
      expect(world.requests()).toEqual([]);
    },
  );
});
