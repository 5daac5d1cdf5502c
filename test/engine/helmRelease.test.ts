import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import type { OperationResult } from "./index.ts";
import { changed } from "./boxes/boxWorld.ts";
import { createReleaseWorld, type ReleaseWorld } from "./releases/releaseWorld.ts";
import { describeReleases } from "./releases/describeReleases.ts";

const urn = "urn:pulumi:dev::test::kubernetes:helm.sh/v3:Release::docs";
/** Up to seven operations a test, and the cluster may share the machine. */
vi.setConfig({ testTimeout: 300_000 });
/** Longer than the API server needs, and much shorter than the default of five minutes. */
const shortWait = "timeout: 4";

const warnings = (run: OperationResult): string[] =>
  run.logs
    .filter(
      ({ severity, message }) => severity === "warning" && !message.startsWith("using pulumi-resource-"),
    )
    .map(({ message }) => message);

describeReleases("a Helm release", (kind) => {
  let world: ReleaseWorld;
  afterEach(() => world.remove());

  const isPending = async () =>
    (await world.history().catch(() => [])).some((revision) => revision.includes(" pending-"));

  it("is previewed without a cluster, which then can't make it", async () => {
    world = await createReleaseWorld(kind, { env: { KUBECONFIG: "/nowhere/kubeconfig" } });
    world.program(`const docs = new Release("docs", { chart: "./chart", values: { a: 1 } });
      exports.version = docs.version; exports.namespace = docs.namespace; exports.state = docs.status.status;`);
    const preview = await world.stack.preview();
    expect(preview.ok).toBe(true);
    expect(changed(preview.steps)).toEqual(["create docs"]);
    expect(preview.outputs["version"]?.value).toBe("1.2.3");
    expect(preview.outputs["namespace"]?.value).toBe("");
    expect(preview.outputs["state"]?.value).toBe("04da6b54-80e4-46f7-96ec-b56ff0331ba9");

    const up = await world.stack.up();
    expect(up.error).toContain(
      "can't create Helm Release with unreachable cluster: unable to load Kubernetes client configuration from kubeconfig file.",
    );
    expect(up.error).toContain("invalid configuration: no configuration has been provided");
    expect(await world.stack.exportState()).toHaveLength(1);
  });

  // the plugin itself keeps trying before it says these words: a refresh for more than five minutes
  it.runIf(kind === "local")(
    "whose cluster doesn't answer is previewed, and neither made nor read nor deleted",
    async () => {
      world = await createReleaseWorld(kind);
      world.program(
        `const docs = new Release("docs", { chart: "./chart", name }); exports.namespace = docs.namespace;`,
      );
      await world.stack.up();
      const kubeconfig = join(world.folder, "kubeconfig");
      const cluster = { name: "c", cluster: { server: "https://127.0.0.1:1" } };
      const context = { name: "c", context: { cluster: "c", user: "u" } };
      const users = [{ name: "u", user: {} }];
      await writeFile(
        kubeconfig,
        JSON.stringify({
          apiVersion: "v1",
          kind: "Config",
          clusters: [cluster],
          contexts: [context],
          users,
          "current-context": "c",
        }),
      );
      const away = await world.reopen({ env: { KUBECONFIG: kubeconfig } });
      const reason = `unable to load schema information from the API server: Get "https://127.0.0.1:1/openapi/v2?timeout=32s": dial tcp 127.0.0.1:1: connect: connection refused`;
      const refreshed = await away.refresh();
      expect(refreshed.error).toContain(
        "failed to read resource state due to unreachable cluster. If the cluster",
      );
      expect(warnings(refreshed)).toEqual([`configured Kubernetes cluster is unreachable: ${reason}`]);
      expect((await away.up()).summary).toEqual({ same: 2 });
      world.program(
        `const docs = new Release("docs", { chart: "./chart", name, values: { a: 1 } }); exports.namespace = docs.namespace;`,
      );
      expect((await away.preview()).outputs["namespace"]?.value).toBe("default");
      expect((await away.up()).error).toContain(
        `can't update Helm Release with unreachable cluster: ${reason}`,
      );
      expect((await away.destroy()).error).toContain(
        `can't delete Helm Release with unreachable cluster. Reason: ${JSON.stringify(reason)}`,
      );
      expect(await world.history()).toHaveLength(1);
    },
  );

  it("is installed, and its state has every input, the status and the names of what it made", async () => {
    world = await createReleaseWorld(kind);
    world.program(`const docs = new Release("docs", { chart: "./chart", name, maxHistory: 2, description: "as asked",
        values: { a: "x", none: null, list: [1], deep: { open: 1 } } });
      exports.id = docs.id; exports.revision = docs.status.revision;`);
    const up = await world.stack.up();
    expect(up.outputs).toMatchObject({ id: { value: `default/${world.name}` }, revision: { value: 1 } });
    const inputs = {
      allowNullValues: false,
      atomic: false,
      chart: "./chart",
      cleanupOnFail: false,
      createNamespace: false,
      dependencyUpdate: false,
      description: "as asked",
      devel: false,
      disableCRDHooks: false,
      disableOpenapiValidation: false,
      disableWebhooks: false,
      forceUpdate: false,
      keyring: "",
      lint: false,
      maxHistory: 2,
      name: world.name,
      namespace: "default",
      postrender: "",
      recreatePods: false,
      renderSubchartNotes: false,
      replace: false,
      resetValues: false,
      reuseValues: false,
      skipAwait: false,
      skipCrds: false,
      timeout: 300,
      values: { a: "x", none: null, list: [1], deep: { open: 1 } },
      verify: false,
      version: "1.2.3",
      waitForJobs: false,
    };
    const { name } = world;
    const release = await world.release();
    expect(release.inputs).toEqual(inputs);
    expect(release.outputs).toEqual({
      ...inputs,
      __inputs: inputs,
      resourceNames: { "ConfigMap/v1": [name] },
      status: {
        appVersion: "7",
        chart: "parcel",
        name,
        namespace: "default",
        revision: 1,
        status: "deployed",
        version: "1.2.3",
      },
    });
    expect(release.secretInputs).toEqual([]);
    expect(release.secretOutputs).toEqual(["__inputs"]);
    expect(await world.history()).toEqual(["1 deployed as asked"]);
    expect((await world.stack.refresh()).summary).toEqual({ same: 2 });
    expect(await world.release()).toMatchObject({ inputs, outputs: release.outputs });
  });

  it("is unchanged when its inputs are, whatever became of the chart's files; a changed value upgrades it", async () => {
    world = await createReleaseWorld(kind);
    const program = (values: string) =>
      world.program(`new Release("docs", { chart: "./chart", name, maxHistory: 2, values: ${values} });`);
    program(`{ a: "x", b: "y" }`);
    await world.stack.up();
    world.chart(
      "templates/more.yaml",
      "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: {{ .Release.Name }}-more }\n",
    );
    expect((await world.stack.up()).summary).toEqual({ same: 2 });

    program(`{ a: "z" }`);
    const preview = await world.stack.preview();
    expect(preview.steps.find(({ op }) => op === "update")?.diff).toEqual(["values"]);
    expect((await world.stack.up()).ok).toBe(true);
    const { outputs } = await world.release();
    expect(outputs["values"]).toEqual({ a: "z" });
    expect(outputs["resourceNames"]).toEqual({ "ConfigMap/v1": [world.name, `${world.name}-more`] });
    expect(outputs["status"]).toMatchObject({ revision: 2, status: "deployed" });

    world.chart("Chart.yaml", "apiVersion: v2\nname: parcel\nversion: 1.3.0\n");
    const bumped = await world.stack.up();
    expect(bumped.steps.find(({ op }) => op === "update")?.diff).toEqual(["version"]);
    expect((await world.release()).outputs["status"]).toMatchObject({ version: "1.3.0", appVersion: "" });
    expect(await world.history()).toHaveLength(2); // maxHistory
  });

  it("keeps a name of its own making, and is made anew under another name or namespace", async () => {
    world = await createReleaseWorld(kind);
    world.program(`new Release("docs", { chart: "./chart" });`);
    await world.stack.up();
    const { inputs } = await world.release();
    expect(inputs["name"]).toMatch(/^docs-[0-9a-f]{8}$/);
    expect((await world.stack.up()).summary).toEqual({ same: 2 });

    world.program(`new Release("docs", { chart: "./chart", name });`);
    const renamed = await world.stack.up();
    expect(changed(renamed.steps)).toEqual([
      "create-replacement docs",
      "replace docs",
      "delete-replaced docs",
    ]);
    await expect(world.history(String(inputs["name"]))).rejects.toThrow("release: not found");
    expect(await world.history()).toHaveLength(1);
  });

  it("whose wait fails stays, half made: the next up tries again, and a destroy takes it away", async () => {
    world = await createReleaseWorld(kind);
    world.program(
      `new Release("docs", { chart: "./chart", name, ${shortWait}, values: { deployment: true } });`,
    );
    const reason = `failed to become available within allocated timeout. Error: Helm Release default/${world.name}: context deadline exceeded`;
    const created = `Helm release "default/${world.name}" was created, but failed to initialize completely. Use Helm CLI to investigate: ${reason}`;
    const failed = await world.stack.up();
    expect(failed.steps.at(-1)).toMatchObject({ op: "create", error: `1 error occurred:\n\t* ${created}` });
    expect(warnings(failed)).toEqual([
      `Helm release "${world.name}" was created but has a failed status. Use the \`helm\` command to investigate the error, correct it, then retry. Reason: context deadline exceeded`,
    ]);
    const left = await world.release();
    expect(left).toMatchObject({ id: `default/${world.name}`, initErrors: [created] });
    expect(left.outputs["status"]).toMatchObject({ status: "failed", revision: 1 });

    const updated = `Helm release "default/${world.name}" failed to initialize completely. Use Helm CLI to investigate: ${reason}`;
    const again = await world.stack.up();
    expect(again.steps.at(-1)).toMatchObject({ op: "update", error: `1 error occurred:\n\t* ${updated}` });
    expect((await world.release()).initErrors).toEqual([updated]);

    world.program(
      `new Release("docs", { chart: "./chart", name, ${shortWait}, skipAwait: true, values: { deployment: true } });`,
    );
    expect((await world.stack.up()).ok).toBe(true);
    expect((await world.release()).outputs["status"]).toMatchObject({ status: "deployed", revision: 3 });
    expect((await world.stack.destroy()).ok).toBe(true);
    await expect(world.history()).rejects.toThrow("release: not found");
  });

  it("whose upgrade fails keeps what it was made from, so that the change is still one", async () => {
    world = await createReleaseWorld(kind);
    world.program(`new Release("docs", { chart: "./chart", name, values: { a: "x" } });`);
    await world.stack.up();
    world.program(
      `new Release("docs", { chart: "./chart", name, ${shortWait}, values: { a: "y", deployment: true } });`,
    );
    expect((await world.stack.up()).ok).toBe(false);
    const { inputs, outputs } = await world.release();
    expect(inputs["values"]).toEqual({ a: "x" });
    expect(outputs["values"]).toEqual({ a: "y", deployment: true });
    expect(outputs["status"]).toMatchObject({ status: "failed", revision: 2 });
    world.program(`new Release("docs", { chart: "./chart", name, values: { a: "x" } });`);
    expect((await world.stack.up()).ok).toBe(true);
    expect((await world.release()).outputs["status"]).toMatchObject({ status: "deployed", revision: 3 });
  });

  it("that is atomic leaves nothing of a failed install, and rolls back a failed upgrade", async () => {
    world = await createReleaseWorld(kind);
    const program = (values: string) =>
      world.program(
        `new Release("docs", { chart: "./chart", name, atomic: true, ${shortWait}, values: ${values} });`,
      );
    program(`{ deployment: true }`);
    const failed = await world.stack.up();
    expect(failed.steps.at(-1)?.error).toBe(
      `release ${world.name} failed, and has been uninstalled due to atomic being set: context deadline exceeded`,
    );
    expect(await world.stack.exportState()).toHaveLength(1);

    program(`{ a: "x" }`);
    await world.stack.up();
    program(`{ a: "y", deployment: true }`);
    const undone = await world.stack.up();
    expect(undone.error).toContain(
      `release ${world.name} failed, and has been rolled back due to atomic being set: context deadline exceeded`,
    );
    const { outputs } = await world.release();
    expect(outputs["status"]).toMatchObject({ status: "failed", revision: 2 });
    expect(await world.history()).toEqual([
      expect.stringMatching(/^3 deployed Rollback to 1/),
      expect.stringMatching(/^2 (failed|superseded) /),
      expect.stringMatching(/^1 superseded /),
    ]);
  });

  it("cut off while it was installed stays pending: its name is in use until somebody cures it", async () => {
    world = await createReleaseWorld(kind);
    world.program(`new Release("docs", { chart: "./chart", name, values: { deployment: true } });`);
    const kill = new AbortController();
    const killed = world.stack.up({ kill: kill.signal });
    await world.until(isPending);
    kill.abort();
    expect((await killed).ok).toBe(false);
    expect(await world.stack.pendingOperations()).toEqual([{ urn, type: "creating" }]);

    world.program(`new Release("docs", { chart: "./chart", name });`);
    const stuck = await world.stack.up();
    expect(stuck.steps.at(-1)?.error).toBe("cannot re-use a name that is still in use");
    await world.helm("uninstall", world.name);
    expect((await world.stack.up()).ok).toBe(true);
    await world.stack.refresh({ clearPendingCreates: true });
    expect(await world.stack.pendingOperations()).toEqual([]);
  });

  it("cut off while it was upgraded is unchanged with the old inputs, and locked with new ones", async () => {
    world = await createReleaseWorld(kind);
    world.program(`new Release("docs", { chart: "./chart", name, values: { a: "x" } });`);
    await world.stack.up();
    world.program(`new Release("docs", { chart: "./chart", name, values: { deployment: true } });`);
    const kill = new AbortController();
    const killed = world.stack.up({ kill: kill.signal });
    await world.until(isPending);
    kill.abort();
    await killed;

    world.program(`new Release("docs", { chart: "./chart", name, values: { a: "x" } });`);
    expect((await world.stack.up()).summary).toEqual({ same: 2 });
    world.program(`new Release("docs", { chart: "./chart", name, values: { a: "y" } });`);
    const locked = await world.stack.up();
    expect(locked.steps.at(-1)?.error).toBe("another operation (install/upgrade/rollback) is in progress");
    expect((await world.release()).initErrors).toEqual([]);
    await world.stack.refresh();
    expect((await world.release()).outputs["status"]).toMatchObject({
      status: "pending-upgrade",
      revision: 2,
    });
    await world.helm("rollback", world.name, "1");
    expect((await world.stack.up()).ok).toBe(true);
  });

  it("that waits is given up at Ctrl-C, and marked as failed", async () => {
    world = await createReleaseWorld(kind);
    world.program(`new Release("docs", { chart: "./chart", name, values: { deployment: true } });`);
    const cancel = new AbortController();
    const run = world.stack.up({ signal: cancel.signal });
    await world.until(isPending);
    cancel.abort();
    const canceled = await run;
    expect(canceled.ok).toBe(false);
    expect(canceled.error).toContain(`Helm Release default/${world.name}: context canceled`);
    expect((await world.release()).outputs["status"]).toMatchObject({ status: "failed" });
    expect(await world.history()).toEqual([expect.stringContaining("1 failed Release")]);
  });

  it("that is gone is found out by a refresh, and installed again", async () => {
    world = await createReleaseWorld(kind);
    world.program(`new Release("docs", { chart: "./chart", name });`);
    await world.stack.up();
    await world.helm("uninstall", world.name);
    const failed = await world.stack.destroy();
    expect(failed.error).toContain(`uninstall: Release not loaded: ${world.name}: release: not found`);
    expect((await world.stack.refresh()).summary).toMatchObject({ delete: 1 });
    expect(changed((await world.stack.up()).steps)).toEqual(["create docs"]);
  });

  it("whose chart can't be found is refused in the preview, with the property that is to blame", async () => {
    world = await createReleaseWorld(kind);
    for (const [chart, reason] of [
      ["./nowhere", 'path "./nowhere" not found'],
      ["nowhere", "non-absolute URLs should be in form of repo_name/path_to_chart, got: nowhere"],
      ["unknown/parcel", "repo unknown not found"],
    ] as const) {
      world.program(`new Release("docs", { chart: "${chart}", name });`);
      const { error } = await world.stack.preview();
      expect(error).toBe(
        `kubernetes:helm.sh/v3:Release resource 'docs': property chart value {${chart}} has a problem: ${reason}; check the chart name and repository configuration.`,
      );
    }
    world.chart(
      "Chart.yaml",
      "apiVersion: v2\nname: parcel\nversion: 1.2.3\ndependencies: [{ name: rope, version: 1.0.0, repository: 'http://127.0.0.1:1' }]\n",
    );
    world.program(`new Release("docs", { chart: "./chart", name });`);
    expect((await world.stack.preview()).error).toContain(
      "found in Chart.yaml, but missing in charts/ directory: rope; check the chart name",
    );
  });

  it("keeps the secrets among its values secret, wherever they go", async () => {
    world = await createReleaseWorld(kind, { secretConfig: { token: "canary-config" } });
    world.program(`const token = new pulumi.Config().requireSecret("token");
      const docs = new Release("docs", { chart: "./chart", name, values: { a: "seen", deep: { token, list: [token], open: "seen" } } });
      exports.values = docs.values;`);
    const runs = [await world.stack.preview(), await world.stack.up()];
    world.program(`const token = pulumi.secret("canary-changed");
      const docs = new Release("docs", { chart: "./chart", name, ${shortWait}, values: { a: "seen", deployment: true, deep: { token, open: "seen" } } });
      exports.values = docs.values;`);
    runs.push(
      await world.stack.preview(),
      await world.stack.up(),
      await world.stack.refresh(),
      await world.stack.up(),
    );
    const release = await world.release();
    expect(release.secretInputs).toEqual(["values"]);
    expect(release.secretOutputs.toSorted()).toEqual(["__inputs", "values"]);
    expect(release.outputs["values"]).toMatchObject({ deep: { token: "canary-changed" } });
    const texts = runs.map(({ text }) => text);
    for (const file of await world.stack.stateFiles()) texts.push(await readFile(file, "utf8"));
    expect(texts.filter((text) => text.includes("canary"))).toEqual([]);
    expect(await world.helm("get", "values", world.name)).toContain("canary-changed");
  });

  it("that violates the chart's schema is refused only when it is made, and the value is shown", async () => {
    world = await createReleaseWorld(kind);
    world.chart("values.schema.json", JSON.stringify({ properties: { a: { pattern: "^[a-z ]*$" } } }));
    world.program(`new Release("docs", { chart: "./chart", name, values: { a: "CANARY" } });`);
    expect((await world.stack.preview()).ok).toBe(true);
    const failed = await world.stack.up();
    expect(failed.steps.at(-1)?.error).toContain("values don't meet the specifications of the schema(s)");
    expect(failed.error).toContain("CANARY");
    expect(await world.stack.exportState()).toHaveLength(1);
  });

  it("adds to the values of the revision before, or forgets them, as it is asked", async () => {
    world = await createReleaseWorld(kind);
    const program = (inputs: string) =>
      world.program(`new Release("docs", { chart: "./chart", name, ${inputs} });`);
    program(`values: { b: "kept" }`);
    await world.stack.up();
    program(`reuseValues: true, values: { a: "new" }`);
    await world.stack.up();
    expect((await world.release()).outputs["values"]).toEqual({ a: "new", b: "kept" });
    program(`resetValues: true, values: { a: "newer" }`);
    await world.stack.up();
    expect((await world.release()).outputs["values"]).toEqual({ a: "newer" });
  });

  it("goes to the cluster and namespace of an explicit provider, also through a component, with its kubeconfig kept secret", async () => {
    const kubeconfig = await readFile(String(process.env["KUBECONFIG"]), "utf8");
    world = await createReleaseWorld(kind, { env: { KUBECONFIG: undefined }, secretConfig: { kubeconfig } });
    const program = (options: string) =>
      world.program(`const kubeconfig = new pulumi.Config().requireSecret("kubeconfig");
        const cluster = new kubernetes.Provider("cluster", { kubeconfig, namespace: "kube-public" });
        class Site extends pulumi.ComponentResource {
          constructor(name, options) {
            super("test:index:Site", name, {}, options);
            this.docs = new Release("docs", { chart: "./chart", name: ${JSON.stringify(world.name)} }, { parent: this });
            this.registerOutputs({});
          }
        }
        exports.id = new Site("site", { ${options} }).docs.id;`);
    program("providers: { kubernetes: cluster }");
    const preview = await world.stack.preview();
    expect(preview.ok).toBe(true);
    const up = await world.stack.up();
    expect(up.outputs["id"]?.value).toBe(`kube-public/${world.name}`);
    expect(up.summary).toEqual({ create: 4 });
    expect((await world.stack.up()).summary).toEqual({ same: 4 });
    expect((await world.stack.refresh()).summary).toEqual({ same: 4 });
    for (const file of await world.stack.stateFiles()) {
      expect(await readFile(file, "utf8")).not.toContain("client-key-data");
    }
    expect(up.text).not.toContain("client-key-data");
    expect((await world.stack.destroy()).summary).toEqual({ delete: 4 });
  });

  it("follows its component through aliases and protection", async () => {
    world = await createReleaseWorld(kind);
    const program = (name: string, options: string, child = "") =>
      world.program(`class Site extends pulumi.ComponentResource {
          constructor(title, options) {
            super("test:index:Site", title, {}, options);
            new Release("docs", { chart: "./chart", name }, { parent: this, ${child} });
            this.registerOutputs({});
          }
        }
        new Site("${name}", { ${options} });`);
    program("site", "");
    await world.stack.up();
    program("page", `aliases: [{ name: "site" }], protect: true`);
    expect((await world.stack.up()).summary).toEqual({ same: 3 });
    expect((await world.release()).protect).toBe(true);
    const refused = await world.stack.destroy();
    expect(refused.error).toContain("it is protected");
    expect(await world.history()).toHaveLength(1);
    program(
      "page",
      "transformations: [({ props, opts, type }) => type.endsWith('Release') ? { props: { ...props, values: { a: 'transformed' } }, opts } : undefined]",
    );
    expect((await world.stack.up()).ok).toBe(true);
    expect((await world.release()).inputs["values"]).toEqual({ a: "transformed" });
    expect((await world.stack.destroy()).ok).toBe(true);
  });

  it("can be given up on at once by an error hook, which is told the plugin's reason", async () => {
    world = await createReleaseWorld(kind);
    world.program(`const onError = new pulumi.ErrorHook("explain", ({ errors, failedOperation }) => {
        console.log(failedOperation + ": " + errors.length + " " + errors[0].includes("context deadline exceeded"));
        return false;
      });
      new Release("docs", { chart: "./chart", name, ${shortWait}, values: { deployment: true } }, { hooks: { onError: [onError] } });`);
    const failed = await world.stack.up();
    expect(failed.ok).toBe(false);
    expect(failed.logs.map(({ message }) => message)).toContain("create: 1 true");
    expect((await world.release()).initErrors).toHaveLength(1);
  });

  it.runIf(kind === "local")(
    "with an input that the stand-in doesn't carry out is refused by name",
    async () => {
      world = await createReleaseWorld(kind);
      for (const [input, name] of [
        [`verify: true`, "verify"],
        [`postrender: "/bin/cat"`, "postrender"],
        [`repositoryOpts: { repo: "http://127.0.0.1:1", password: "p" }`, "repositoryOpts.password"],
        [`valueYamlFiles: [new pulumi.asset.StringAsset("a: 1")]`, "valueYamlFiles"],
      ] as const) {
        world.program(`new Release("docs", { chart: "./chart", name, ${input} });`);
        expect((await world.stack.preview()).error).toBe(
          `not supported by the test engine: ${name} of a Release`,
        );
      }
      world.program(`new kubernetes.Provider("cluster", { renderYamlToDirectory: "here" });`);
      expect((await world.stack.preview()).error).toBe(
        "not supported by the test engine: renderYamlToDirectory of a kubernetes.Provider",
      );
    },
  );
});
