// The tests of a Helm release that `test/cluster` lacks; there it is installed, unchanged, upgraded, killed and repaired, and
// searched for its secrets.
import { afterEach, expect, it, vi } from "vitest";
import { changed } from "./boxes/boxWorld.ts";
import { createReleaseWorld, type ReleaseWorld } from "./releases/releaseWorld.ts";
import { describeReleases } from "./releases/describeReleases.ts";

const urn = "urn:pulumi:dev::test::kubernetes:helm.sh/v3:Release::docs";
/** Up to seven operations a test, and the cluster may share the machine. */
vi.setConfig({ testTimeout: 300_000 });
/** Longer than the API server needs, and much shorter than the default of five minutes. */
const shortWait = "timeout: 4";

describeReleases("a Helm release", (kind) => {
  let world: ReleaseWorld;
  afterEach(() => world.remove());

  const isPending = async () =>
    (await world.history().catch(() => [])).some((revision) => revision.includes(" pending-"));
  const program = (inputs: string) =>
    world.program(`new Release("docs", { chart: "./chart", name, namespace: "default", ${inputs} });`);

  it("is replaced under another name, and a refresh notices when it is gone", async () => {
    world = await createReleaseWorld(kind);
    program(`name: name + "-old", description: "as asked"`); // the later name counts
    await world.stack.up();
    expect(await world.release()).toMatchObject({
      id: `default/${world.name}-old`,
      inputs: { name: `${world.name}-old` },
      outputs: {
        status: { chart: "parcel", version: "1.2.3", appVersion: "7", revision: 1, status: "deployed" },
      },
    });
    expect(await world.history(`${world.name}-old`)).toEqual(["1 deployed as asked"]);

    program("");
    const renamed = await world.stack.up();
    expect(changed(renamed.steps)).toEqual([
      "create-replacement docs",
      "replace docs",
      "delete-replaced docs",
    ]);
    await expect(world.history(`${world.name}-old`)).rejects.toThrow("release: not found");

    expect((await world.stack.refresh()).summary).toEqual({ same: 2 });
    await world.helm("uninstall", world.name);
    expect((await world.stack.destroy()).error).toContain("release: not found");
    expect((await world.stack.refresh()).summary).toMatchObject({ delete: 1 });
    expect(changed((await world.stack.up()).steps)).toEqual(["create docs"]);
  });

  it("whose wait fails stays, partially created: the next up tries again, and a destroy removes it", async () => {
    world = await createReleaseWorld(kind);
    program(`${shortWait}, values: { deployment: true }`);
    for (const op of ["create", "update"] as const) {
      const failed = await world.stack.up();
      expect(failed.steps.at(-1)).toMatchObject({ op });
      expect(failed.error).toContain("context deadline exceeded");
      const left = await world.release();
      expect(left).toMatchObject({
        id: `default/${world.name}`,
        initErrors: [expect.stringContaining("context deadline exceeded")],
        outputs: { status: { status: "failed", revision: op === "create" ? 1 : 2 } },
      });
    }
    expect((await world.stack.destroy()).ok).toBe(true);
    await expect(world.history()).rejects.toThrow("release: not found");
  });

  it("whose upgrade fails keeps its earlier inputs, so that the change remains a change", async () => {
    world = await createReleaseWorld(kind);
    program(`values: { a: "x" }`);
    await world.stack.up();
    program(`${shortWait}, values: { a: "y", deployment: true }`);
    expect((await world.stack.up()).ok).toBe(false);
    const { inputs, outputs } = await world.release();
    expect(inputs["values"]).toEqual({ a: "x" });
    expect(outputs["values"]).toEqual({ a: "y", deployment: true });
    program(`values: { a: "x" }`);
    expect((await world.stack.up()).ok).toBe(true);
    expect((await world.release()).outputs["status"]).toMatchObject({ status: "deployed", revision: 3 });
  });

  it("cut off during its installation stays pending: its name is in use until somebody repairs it", async () => {
    world = await createReleaseWorld(kind);
    program(`values: { deployment: true }`);
    const kill = new AbortController();
    const killed = world.stack.up({ kill: kill.signal });
    await world.until(isPending);
    kill.abort();
    expect((await killed).ok).toBe(false);
    expect(await world.stack.pendingOperations()).toEqual([{ urn, type: "creating" }]);

    program("");
    const stuck = await world.stack.up();
    expect(stuck.steps.at(-1)?.error).toBe("cannot re-use a name that is still in use");
    await world.helm("uninstall", world.name);
    expect((await world.stack.up()).ok).toBe(true);
    await world.stack.refresh({ clearPendingCreates: true });
    expect(await world.stack.pendingOperations()).toEqual([]);
  });

  it("that waits is stopped at Ctrl-C, and marked as failed", async () => {
    world = await createReleaseWorld(kind);
    program(`values: { deployment: true }`);
    const cancel = new AbortController();
    const run = world.stack.up({ signal: cancel.signal });
    await world.until(isPending);
    cancel.abort();
    const canceled = await run;
    expect(canceled.error).toContain("context canceled");
    expect((await world.release()).outputs["status"]).toMatchObject({ status: "failed" });
    expect(await world.history()).toEqual([expect.stringContaining("1 failed Release")]);
  });

  it.runIf(kind === "local")(
    "with an input that the stand-in does not support is refused by name",
    async () => {
      world = await createReleaseWorld(kind);
      for (const [inputs, names] of [
        [`atomic: true, verify: true`, "atomic of a Release, verify of a Release"],
        [
          `repositoryOpts: { repo: "http://127.0.0.1:1", password: "p" }`,
          "repositoryOpts.password of a Release",
        ],
        [`name: undefined`, "no name of a Release"],
      ] as const) {
        program(inputs);
        expect((await world.stack.preview()).error).toBe(`not supported by the test engine: ${names}`);
      }
    },
  );
});
