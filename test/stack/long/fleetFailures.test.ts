// Several exports in one stack, of which one is wrong, or whose jobs are all missing at once.
import { expect, test } from "vitest";
import { JOBS, startsOf } from "../requests.ts";
import { buildWorld, onEachEngine, previewIsEmpty, stepsOf, succeeded, type World } from "../world.ts";

const SITES = ["a", "b", "c", "d"];

/** A program with these sites. @param domains of those that differ */
const fleet = (domains: Readonly<Record<string, string>> = {}): string =>
  SITES.map(
    (name) =>
      `new StaticExport("${name}", { domain: "${domains[name] ?? "docs.example.com"}", version: "v1" });`,
  ).join("\n");

const jobsOf = async (world: World): Promise<unknown[]> =>
  Promise.all(SITES.map(async (name) => (await world.exported(name)).outputs["jobId"]));

onEachEngine({ name: "a fleet", withBoth: true }, (kind) => {
  test("one wrong site hides no other: they are exported and stored, a line names it, and the next up exports it alone", async (context) => {
    const world = await buildWorld(context, kind);
    world.program(fleet({ b: "free.example.com" }));
    const failed = await world.stack.up();
    expect(failed.ok).toBe(false);
    expect(failed.text).toMatch(/free\.example\.com: .*403/);
    const lines = failed.logs.filter(({ ephemeral }) => !ephemeral).map(({ message }) => message);
    expect(lines).toContainEqual(expect.stringMatching(/^4 resources in \d+s: 3 done, 1 failed \(b\)$/));
    for (const name of ["a", "c", "d"]) {
      expect((await world.exported(name)).outputs["status"]).toBe("completed");
    }
    expect(startsOf(world.service.requests)).toHaveLength(4);

    world.program(fleet());
    expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["create b"]);
    expect(startsOf(world.service.requests)).toHaveLength(5);
    await previewIsEmpty(world);
  });

  test("one wrong site that comes first hides none with --continue-on-error, also where exports run one by one", async (context) => {
    const world = await buildWorld(context, kind);
    world.program(fleet({ a: "free.example.com" }));
    const failed = await world.stack.up({ parallel: 1, continueOnError: true });
    expect(failed.ok).toBe(false);
    for (const name of ["b", "c", "d"]) {
      expect((await world.exported(name)).outputs["status"]).toBe("completed");
    }
  });

  test("a refresh with a key of another account forgets nothing: the error names the account, and with the right key nothing changes", async (context) => {
    const world = await buildWorld(context, kind);
    await world.up(fleet());
    const before = await jobsOf(world);
    const restore = world.service.intercept(({ path }) =>
      path.startsWith(`${JOBS}/`) ? { status: 404, body: { error: "not found" } } : undefined,
    );
    const failed = await world.stack.refresh();
    expect(failed.ok).toBe(false);
    expect(failed.text).toMatch(/none of the [2-4] jobs that this run asked for is known to the service/);
    expect(failed.text).toContain("The API key is probably of another account");
    expect(await jobsOf(world)).toEqual(before);
    restore();
    succeeded(await world.stack.refresh());
    await previewIsEmpty(world);
    expect(await jobsOf(world)).toEqual(before);
  });

  test("a refresh forgets the one job that is missing beside others, and the next up exports that site alone", async (context) => {
    const world = await buildWorld(context, kind);
    await world.up(fleet());
    const [, missing] = await jobsOf(world);
    world.service.intercept(({ path }) =>
      path === `${JOBS}/${String(missing)}` ? { status: 404, body: { error: "not found" } } : undefined,
    );
    succeeded(await world.stack.refresh());
    expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["create b"]);
  });
});
