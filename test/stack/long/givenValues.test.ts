// Values as programs and pipelines give them: dates among the triggers, the content of a credential file in a variable, a version after an
// import.
import { expect, test } from "vitest";
import { finishedJob } from "../releases.ts";
import { startsOf } from "../requests.ts";
import {
  buildWorld,
  CANARY_KEY,
  onEachEngine,
  onlyWith,
  previewIsEmpty,
  stepsOf,
  succeeded,
} from "../world.ts";

/** A key of a service account, as GitLab's variables contain it. */
const CREDENTIAL = JSON.stringify({
  type: "service_account",
  client_email: "docs@example.iam.gserviceaccount.com",
  private_key: "-----BEGIN PRIVATE KEY-----\nc4n4ry-of-google\n-----END PRIVATE KEY-----\n",
});

onEachEngine({ name: "given values", withBoth: true }, (kind) => {
  test("F2 a Date among the triggers is its ISO text: the same date exports nothing, another one exports again", async (context) => {
    onlyWith(context, "dynamic", kind, "generated SDKs convert values themselves");
    const world = await buildWorld(context, kind);
    const program = (date: string): string =>
      `new StaticExport("docs", { domain: "docs.example.com", triggers: [new Date(${date})] });`;
    await world.up(program("0"));
    expect((await world.exported()).inputs["triggers"]).toEqual(["1970-01-01T00:00:00.000Z"]);
    expect(stepsOf(await world.up(program("0")))).toEqual([]);
    expect(stepsOf(await world.up(program("1")))).toEqual(["update docs"]);
    expect(startsOf(world.service.requests)).toHaveLength(2);
  });

  test.for([
    ["a Map", "triggers: [new Map([[1, 2]])]", /triggers.*Map/s],
    ["a URL", 'triggers: [{ site: new URL("https://docs.example.com") }]', /triggers.*URL/s],
    ["a function", "exportOptions: { paths: () => [] }", /exportOptions.*function/s],
    ["NaN", "exportOptions: { limit: NaN }", /exportOptions.*NaN/s],
  ] as const)("F2 %s is refused at its property, before any request", async ([, given, says], context) => {
    onlyWith(context, "dynamic", kind, "generated SDKs convert values themselves");
    const world = await buildWorld(context, kind);
    world.program(`new StaticExport("docs", { domain: "docs.example.com", ${given} });`);
    const failed = await world.stack.preview();
    expect(failed.ok).toBe(false);
    expect(failed.text).toMatch(says);
    expect(world.requests()).toEqual([]);
  });

  test("F2 a Map in the place of options is refused at its property, and not taken for «no options»", async (context) => {
    onlyWith(context, "dynamic", kind, "generated SDKs convert values themselves");
    const world = await buildWorld(context, kind);
    world.program(
      `new BundleCopy("copy", {
         source: { domain: "docs.example.com", jobId: "job-1", version: new URL("https://docs.example.com") },
         destination: { folder: "copies", layout: "site" },
         limits: new Map([["files", 1]]),
         fetchExternal: { exclude: new Set(["a.example"]) },
       });`,
    );
    const failed = await world.stack.preview();
    expect(failed.ok).toBe(false);
    for (const says of [
      /limits.* has a Map/,
      /fetchExternal.* has at exclude a Set/,
      /source.* has at version a URL/,
    ]) {
      expect(failed.text).toMatch(says);
    }
  });

  test("N2 the content of a credential file in its variable is named, and no part of it is shown or stored", async (context) => {
    const world = await buildWorld(context, kind, { env: { GOOGLE_APPLICATION_CREDENTIALS: CREDENTIAL } });
    world.program(
      `const { domain, jobId, version } = new StaticExport("docs", { domain: "docs.example.com" });
       new BundleCopy("copy", { source: { domain, jobId, version }, destination: { gcsBucket: "docs-of-nobody" } });`,
    );
    const failed = await world.stack.up();
    expect(failed.ok).toBe(false);
    expect(failed.text).toMatch(/GOOGLE_APPLICATION_CREDENTIALS contains a key, not a file's name/);
    expect(await world.everythingWritten()).not.toContain("c4n4ry-of-google");
  });

  test.for([
    ["quickstart", "", ["update docs"]],
    ["agent-gate, whose agent opened no pull request", "triggers: [null]", ["update docs"]],
    ["agent-gate", 'triggers: ["https://git.example.com/docs/pull/7"]', ["update docs"]],
    ["air-gapped, promotion and languages", 'version: "v20261125"', ["update docs"]],
    ["self-hosted", 'version: "v20261125", renewBefore: "12h"', ["update docs"]],
    ["self-hosted, rolled back to the job", 'version: "v20261125", jobId: JOB', ["update docs"]],
    ["fleet", 'version: "v20261125", renewBefore: "24h", apiKeyEnv: "TEAM_KEY"', ["update docs"]],
  ] as const)(
    "an import and then the program of %s adopts the job once, without an export",
    async ([, given, steps], context) => {
      onlyWith(context, "native", kind, "Pulumi imports resources of plugins alone");
      const world = await buildWorld(context, kind, { env: { TEAM_KEY: CANARY_KEY } });
      const jobId = await finishedJob(world.service);
      succeeded(
        await world.stack.import([
          { type: "docs-hosting:index:StaticExport", name: "docs", id: `docs.example.com/${jobId}` },
        ]),
      );
      const program = (more: string): string =>
        `const JOB = "${jobId}";
       new StaticExport("docs", { domain: "docs.example.com", ${more} }, { protect: true });`;
      expect(stepsOf(await world.up(program(given)))).toEqual(steps);
      expect((await world.exported()).outputs).toMatchObject({ jobId });
      expect(startsOf(world.service.requests)).toHaveLength(1);
      await previewIsEmpty(world);
      expect(stepsOf(await world.up(program('version: "v20261126"')))).toEqual(["update docs"]);
      expect(startsOf(world.service.requests)).toHaveLength(2);
    },
  );
});
