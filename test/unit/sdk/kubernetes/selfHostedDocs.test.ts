// The registrations of a program, read through Pulumi's own mocks.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { SelfHostedDocs, type SelfHostedDocsArgs } from "../../../../sdk/kubernetes/index.ts";
import type { StaticExportLink } from "../../../../sdk/staticExportValues.ts";
import { type Registered, resolved, settled, startProgram } from "../../../simulation/pulumiProgram.ts";

const LINK = "https://store.example.com/bundle.tgz?signature=c4n4ry";
const RELEASE = "kubernetes:helm.sh/v3:Release";
const COMPONENT = "docs-hosting:kubernetes:SelfHostedDocs";

let chart: string;
beforeAll(() => {
  chart = mkdtempSync(join(tmpdir(), "chart-"));
  writeFileSync(join(chart, "Chart.yaml"), "name: docs\n");
});
afterAll(() => rmSync(chart, { recursive: true }));

let registered: Registered[];

/** The outputs of a created release. */
const MADE = { name: "docs-1a2b", namespace: "site", status: { revision: 1, status: "deployed" } };

beforeEach(async () => {
  registered = await startProgram({ outputs: MADE });
});

/** Only these outputs of an export are used. */
function staticExport(version: pulumi.Output<string> = pulumi.output("v1")): StaticExportLink {
  return { bundleUrl: pulumi.output(LINK), version };
}

const isInstance = (value: unknown): boolean => SelfHostedDocs.isInstance(value);

interface Declared {
  component: SelfHostedDocs;
  /** Arguments of the release, as the program gave them. */
  args: Record<string, unknown>;
  options: pulumi.CustomResourceOptions;
  /** Inputs of the release, as the engine got them, with plain secrets. */
  inputs: Record<string, unknown>;
}

async function declare(
  args: Partial<SelfHostedDocsArgs> = {},
  opts: pulumi.ComponentResourceOptions = {},
): Promise<Declared> {
  let seen: pulumi.ResourceTransformationArgs | undefined;
  const component = new SelfHostedDocs(
    "docs",
    { staticExport: staticExport(), chart, deploymentKind: "client-hosted", ...args } as SelfHostedDocsArgs,
    {
      ...opts,
      transformations: [
        (resource) => {
          if (resource.type === RELEASE) seen = resource;
          return undefined;
        },
      ],
    },
  );
  await settled();
  const release = registered.findLast(({ type }) => type === RELEASE);
  if (!seen || !release) throw new Error("no release was registered");
  return {
    component,
    args: seen.props,
    options: seen.opts,
    inputs: bare(release.inputs) as Record<string, unknown>,
  };
}

/** Secrets arrive as objects with a mark. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== "object" || value === null) return value;
  if ("4dabf18193072939515e22adb298388d" in value && "value" in value) return bare(value.value);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, bare(inner)]));
}

test("one release, child of the component, with the values group of the export", async () => {
  const { inputs, options, component } = await declare();
  expect(registered.map(({ type, name }) => `${type} ${name}`)).toEqual([
    `${COMPONENT} docs`,
    `${RELEASE} docs`,
  ]);
  expect(inputs["values"]).toEqual({ staticExport: { enabled: true, bundleUrl: LINK, version: "v1" } });
  expect(inputs["chart"]).toBe(chart);
  expect(inputs).not.toHaveProperty("version");
  expect(inputs).not.toHaveProperty("namespace");
  expect(options.parent).toBe(component);
});

test.each(["pending-install", "pending-upgrade", "pending-rollback"])(
  "a release whose status is %s is reported on its row, with the commands that repair it",
  async (status) => {
    registered = await startProgram({ outputs: { ...MADE, status: { ...MADE.status, status } } });
    const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
    onTestFinished(() => warn.mockRestore());
    const { component } = await declare();
    expect(warn.mock.calls).toEqual([[expect.any(String), component.release]]);
    const [text] = warn.mock.calls[0] ?? [];
    expect(text).toContain(`Its status is ${status}: `);
    expect(text).toContain("then run `pulumi refresh` and `pulumi up`:");
    expect(text).toContain("  kubectl --namespace site delete secret sh.helm.release.v1.docs-1a2b.vN");
  },
);

test("a release that is deployed, failed or not created yet is not reported", async () => {
  const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
  onTestFinished(() => warn.mockRestore());
  await declare();
  registered = await startProgram({ outputs: { ...MADE, status: { revision: 2, status: "failed" } } });
  await declare();
  registered = await startProgram();
  await declare();
  expect(warn).not.toHaveBeenCalled();
});

test("an air-gapped installation whose pods will need a link gives a warning on its row, with what to do", async () => {
  const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
  onTestFinished(() => warn.mockRestore());
  const { component } = await declare({ deploymentKind: "air-gapped" });
  expect(warn.mock.calls).toEqual([[expect.any(String), component]]);
  const [text] = warn.mock.calls[0] ?? [];
  expect(text).toContain("whenever a pod starts, it must reach the host of that link");
  expect(text).toContain("new BundleCopy(name, { source, destination: { repository, base } })");
});

test("the link is a secret, also when the export's output is none", async () => {
  const { args } = await declare({ values: { replicas: 2 } });
  const { staticExport: group, replicas } = args["values"] as {
    staticExport: { bundleUrl: pulumi.Output<string> };
    replicas: number;
  };
  expect(await resolved(group.bundleUrl)).toEqual({ value: LINK, secret: true });
  expect(replicas).toBe(2);
});

test("name, namespace and status of the release are outputs, also in the state of the component", async () => {
  // Pulumi's mocks hide a component's registered outputs
  const monitor = pulumi.runtime.getMonitor() as unknown as {
    registerResourceOutputs(request: Registration, answer: unknown): void;
  };
  const registrations = vi.spyOn(monitor, "registerResourceOutputs");
  const { component } = await declare();
  for (const [name, value] of Object.entries(MADE)) {
    expect(await resolved(component[name as keyof typeof MADE])).toMatchObject({ value });
  }
  expect(registrations.mock.calls.map(([request]) => request.getOutputs().toJavaScript())).toEqual([MADE]);
});

/** The SDK's message when a component registers its outputs. */
interface Registration {
  getOutputs(): { toJavaScript(): unknown };
}

/** A resource whose output is unknown before it is created. */
class Unmade extends pulumi.CustomResource {
  declare readonly later: pulumi.Output<string>;
  constructor(name: string) {
    super("test:index:Unmade", name, { later: undefined });
  }
}

test("a component knows its own kind, also one that another copy of the package made", async () => {
  const { component } = await declare();
  const marks = { __pulumiResource: true, __pulumiComponentResource: true }; // as Pulumi's SDK tells its own
  const ofOtherCopy = { ...marks, __pulumiType: COMPONENT };
  const ofOtherType = { ...marks, __pulumiType: "acme:index:Docs" };
  expect([component, ofOtherCopy, ofOtherType, component.release, undefined, {}].map(isInstance)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

describe("values", () => {
  test("that a preview cannot know hide only themselves", async () => {
    registered = await startProgram({ preview: true });
    const unknown = new Unmade("other");
    const { inputs } = await declare({
      staticExport: staticExport(unknown.later),
      values: { replicas: 2, deep: { text: "t", later: unknown.later }, token: pulumi.secret("s") },
    });
    const values = inputs["values"] as Record<string, Record<string, unknown>>;
    expect(values).toMatchObject({
      replicas: 2,
      deep: { text: "t" },
      token: "s",
      staticExport: { enabled: true, bundleUrl: LINK },
    });
    for (const hidden of [values["deep"]?.["later"], values["staticExport"]?.["version"]]) {
      expect(pulumi.isUnknown(hidden)).toBe(true);
    }
  });
});

describe("features", () => {
  test.each<[string, object, RegExp]>([
    [
      "a feature that cannot be had",
      { deploymentKind: "air-gapped", features: { search: true } },
      /unavailable \|/,
    ],
    [
      "features that come later",
      { features: pulumi.output({ search: true }) },
      /must be known when the program runs/,
    ],
    [
      "a kind that comes later",
      { deploymentKind: pulumi.output("air-gapped") },
      /must be known when the program/,
    ],
    ["no export", { staticExport: undefined }, /`staticExport` is required/],
    ["a folder that is not there", { chart: "./nowhere" }, /there is no folder/],
    ["values in the wrong place", { release: { values: {} } }, /`release\.values` is not .*: give `values`/],
    [
      "a version in the wrong place",
      { release: { version: "1" } },
      /`release\.version`.*: give `chartVersion`/,
    ],
  ])(
    "%s is refused by name, before anything is registered, without a stack trace",
    async (_, args, message) => {
      const all = { staticExport: staticExport(), chart, deploymentKind: "client-hosted", ...args };
      const refused = (): unknown => new SelfHostedDocs("docs", all as SelfHostedDocsArgs);
      expect(refused).toThrow(pulumi.RunError);
      expect(refused).toThrow(/^SelfHostedDocs "docs": /);
      expect(refused).toThrow(message);
      await new Promise(setImmediate);
      expect(registered).toEqual([]);
    },
  );
});

describe("chart", () => {
  const digestOf = async (args: Partial<SelfHostedDocsArgs>): Promise<unknown> =>
    (await declare(args)).inputs["description"];

  test("on this machine has the digest of its files in the description, after the user's own", async () => {
    expect(await digestOf({})).toMatch(/^chart files sha256:[0-9a-f]{16}$/);
    expect(await digestOf({ release: { description: "ours" } })).toMatch(/^ours; chart files sha256:/);
    expect(await digestOf({ release: { description: pulumi.output("ours") } })).toMatch(/^ours; chart/);
  });

  test("that is published has its version, and the user's description unchanged", async () => {
    const published = { chart: "oci://registry.example.com/docs", chartVersion: "1.2.3" };
    const { inputs } = await declare({ ...published, release: { description: "ours" } });
    expect(inputs).toMatchObject({ chart: published.chart, version: "1.2.3", description: "ours" });
    expect(await digestOf(published)).toBeUndefined();
  });

  test("of a repository is a name in it, also where a folder of that name exists, which is otherwise used", async () => {
    vi.spyOn(process, "cwd").mockReturnValue(dirname(chart));
    onTestFinished(() => void vi.restoreAllMocks());
    const name = basename(chart);
    const repositoryOpts = { repo: "https://charts.example.com" };
    const { inputs } = await declare({ chart: name, release: { repositoryOpts } });
    expect(inputs).toMatchObject({ chart: name, repositoryOpts });
    expect((await declare({ chart: name })).inputs["chart"]).toBe(`./${name}`);
  });

  test("that is an output is found when it is known", async () => {
    const { inputs } = await declare({ chart: pulumi.output(chart) });
    expect(inputs["chart"]).toBe(chart);
    expect(inputs["description"]).toMatch(/^chart files sha256:/);
  });
});

describe("settings of the release", () => {
  test("are the user's where given", async () => {
    const release = { name: "docs", maxHistory: 10, timeout: 60, skipAwait: true, atomic: false };
    const { inputs } = await declare({ namespace: "site", release });
    expect(inputs).toMatchObject({ ...release, namespace: "site" });
  });

  test("have a name that Helm accepts, or the preview names the rule: `release.name`, or the name that the plugin makes", async () => {
    for (const name of ["docs.example.com", "1docs", "a".repeat(53)]) {
      expect((await declare({ release: { name } })).inputs).toMatchObject({ name });
    }
    for (const [name, rule] of [
      ["Docs", "only small letters, digits, hyphens and dots"],
      ["docs_1", "only small letters"],
      ["docs-", "with a letter or digit at both ends"],
      ["docs..example", "beside each dot"],
      ["a".repeat(54), "it has more than 53 letters"],
    ] as const) {
      const message = `SelfHostedDocs "docs": \`release.name\` "${name}" is not a name that Helm accepts: `;
      await expect(declare({ release: { name } })).rejects.toThrow(message);
      await expect(declare({ release: { name } })).rejects.toThrow(rule);
    }
    const make = (name: string, release = {}) =>
      new SelfHostedDocs(name, {
        staticExport: staticExport(),
        chart,
        deploymentKind: "client-hosted",
        release,
      });
    expect(() => make("a".repeat(44))).not.toThrow();
    expect(() => make("a".repeat(45))).toThrow("it has more than 53 letters. Set `release.name`.");
    expect(() => make("Docs")).toThrow('is called "Docs-" and eight random digits');
    expect(() => make("Docs", { name: "docs" })).not.toThrow();
    await settled();
  });

  test("limit its history and its wait where they are absent or undefined", async () => {
    for (const release of [{}, { maxHistory: undefined, timeout: undefined } as unknown as object]) {
      expect((await declare({ release })).inputs).toMatchObject({ maxHistory: 2, timeout: 600 });
    }
  });
});

describe("resource options", () => {
  test("that only a release can obey reach it", async () => {
    const handedDown = {
      ignoreChanges: ["values.replicas"],
      replaceOnChanges: ["namespace"],
      customTimeouts: { create: "20m" },
      version: "4.30.0",
      pluginDownloadURL: "https://plugins.example.com",
    };
    const { options } = await declare({}, { ...handedDown, retainOnDelete: true });
    expect(options).toMatchObject(handedDown);
  });

  test("of the component stay with it: Pulumi passes them down", async () => {
    const parent = new pulumi.ComponentResource("test:index:Parent", "parent");
    const { options, component } = await declare(
      {},
      { parent, aliases: [{ name: "old" }], dependsOn: parent },
    );
    expect(options.parent).toBe(component);
    for (const name of ["aliases", "dependsOn", "transformations", "providers"]) {
      expect(options).not.toHaveProperty(name);
    }
  });

  test("no error hook is created under mocks, so that unit tests of programs still work", async () => {
    expect((await declare()).options.hooks).toBeUndefined();
  });
});
