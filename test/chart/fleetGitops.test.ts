// examples/fleet/gitops, unchanged: its program on the test engine with a real registry, its files as Helm renders them, and its
// commits in a real Git repository. Flux itself is not tested here.
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, type TestContext } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { startRegistryWithBase } from "../../examples/start/registry.ts";
import type { OperationResult, Stack } from "../engine/index.ts";
import { startsOf } from "../stack/requests.ts";
import { buildWorld, succeeded, type World } from "../stack/world.ts";
import { only, render, type Values } from "./renderedChart.ts";

const EXAMPLE = join(import.meta.dirname, "../../examples/fleet/gitops");
const SITES = {
  guide: { domain: "docs.example.com", version: "v1" },
  handbook: { domain: "other.example.com" },
};

interface Release {
  metadata: { name: string; namespace: string };
  spec: { chartRef: object; values: Values };
}

interface Fleet extends World {
  stack: Stack;
  registry: string;
  /** The folder of the stack's releases. */
  folder: string;
  write(sites: object): void;
  release(name: string): Release;
  /** Names of the files, with their contents. */
  releases(): Record<string, string>;
}

async function openFleet(context: TestContext): Promise<Fleet> {
  const { host, base, close } = await startRegistryWithBase(() => undefined);
  context.onTestFinished(close);
  const world = await buildWorld(context, "local");
  rmSync(join(world.programFolder, "package.json"));
  for (const name of readdirSync(EXAMPLE).filter((file) => /\.ts$|^(package|tsconfig)\.json$/.test(file))) {
    cpSync(join(EXAMPLE, name), join(world.programFolder, name));
  }
  const write = (sites: object): void =>
    writeFileSync(join(world.programFolder, "team-a-01.json"), JSON.stringify({ sites }));
  write(SITES);
  const stack = await world.open({ stack: "team-a-01" });
  const config = { sites: "team-a-01.json", releases: "releases", registry: `${host}/docs`, base };
  for (const [name, value] of Object.entries(config)) await stack.setConfig(name, value);
  const folder = join(world.programFolder, "releases/team-a-01");
  const read = (file: string): string => readFileSync(join(folder, file), "utf8");
  return {
    ...world,
    stack,
    registry: host,
    folder,
    write,
    release: (name) => parse(read(`${name}.yaml`)) as Release,
    releases: () => Object.fromEntries(readdirSync(folder).map((file) => [file, read(file)])),
  };
}

const released = (up: OperationResult): Record<string, string> =>
  up.outputs["released"]?.value as Record<string, string>;

// a test is up to three runs of the engine
describe("the program", { timeout: 300_000 }, () => {
  test("writes a release for each site, which Helm renders to pods of the image by its digest, without a link", async (context) => {
    const fleet = await openFleet(context);
    succeeded(await fleet.stack.preview());
    expect(existsSync(fleet.folder)).toBe(false);
    const up = succeeded(await fleet.stack.up());
    expect(Object.keys(fleet.releases())).toEqual(["guide.yaml", "handbook.yaml"]);
    for (const name of ["guide", "handbook"]) {
      const image = released(up)[name] ?? "";
      expect(image).toMatch(new RegExp(`^${fleet.registry}/docs/team-a/${name}@sha256:[0-9a-f]{64}$`));
      const { metadata, spec } = fleet.release(name);
      expect(metadata).toEqual({ name, namespace: "team-a" });
      const manifests = await render(spec.values);
      const { containers, initContainers } = only(manifests, "Deployment").spec.template.spec;
      expect(containers.map((container) => container.image)).toEqual([image]);
      expect(initContainers).toBeUndefined();
      expect(manifests.map(({ kind }) => kind)).not.toContain("Secret");
      const digest = image.slice(image.indexOf("@") + 1);
      const manifest = `http://${fleet.registry}/v2/docs/team-a/${name}/manifests/${digest}`;
      const accept = "application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json";
      expect((await fetch(manifest, { headers: { accept } })).status).toBe(200);
      for (const text of [JSON.stringify(manifests), fleet.releases()[`${name}.yaml`] ?? ""]) {
        expect(text).not.toMatch(/bundleUrl|[?&]\w+=|https?:\/\/(?!charts)[\w.:]+\/bundles/i);
      }
    }
  });

  test("a run without changes, and a preview, write nothing; another version changes only the file of its site", async (context) => {
    const fleet = await openFleet(context);
    succeeded(await fleet.stack.up());
    const before = fleet.releases();
    const changedAt = (): number[] =>
      Object.keys(before).map((file) => statSync(join(fleet.folder, file)).mtimeMs);
    const times = changedAt();
    succeeded(await fleet.stack.up());
    expect(fleet.releases()).toEqual(before);
    expect(changedAt()).toEqual(times);
    rmSync(join(fleet.folder, "guide.yaml"));
    succeeded(await fleet.stack.preview());
    expect(Object.keys(fleet.releases())).toEqual(["handbook.yaml"]);
    fleet.addPage("news.md", "# News\n");
    fleet.write({ ...SITES, guide: { ...SITES.guide, version: "v2" } });
    succeeded(await fleet.stack.up());
    const after = fleet.releases();
    expect(after["handbook.yaml"]).toBe(before["handbook.yaml"]);
    expect(after["guide.yaml"]).not.toBe(before["guide.yaml"]);
    expect(fleet.release("guide").spec.values).toMatchObject({ staticExport: { version: "v2" } });
  });

  test("a site that fails keeps its release and does not stop the others; a site that is removed from the list loses it", async (context) => {
    const fleet = await openFleet(context);
    succeeded(await fleet.stack.up());
    const before = fleet.releases();
    fleet.write({
      guide: { domain: "docs.example.com", version: "v1" },
      handbook: { domain: "free.example.com" }, // of a plan that has no exports
      more: { domain: "docs.example.com" },
    });
    expect((await fleet.stack.up({ continueOnError: true })).ok).toBe(false);
    const after = fleet.releases();
    expect(Object.keys(after)).toEqual(["guide.yaml", "handbook.yaml", "more.yaml"]);
    expect(after["guide.yaml"]).toBe(before["guide.yaml"]);
    expect(after["handbook.yaml"]).toBe(before["handbook.yaml"]);
    fleet.write({ guide: SITES.guide });
    succeeded(await fleet.stack.up());
    expect(Object.keys(fleet.releases())).toEqual(["guide.yaml"]);
  });

  test("a list without sites ends the run before any request, write or deletion", async (context) => {
    const fleet = await openFleet(context);
    succeeded(await fleet.stack.up());
    const [before, starts] = [fleet.releases(), startsOf(fleet.service.requests).length];
    fleet.write({});
    const up = await fleet.stack.up();
    expect(up.ok).toBe(false);
    expect(up.text).toContain("team-a-01.json has no sites. If all are to go, run `pulumi destroy`.");
    expect(fleet.releases()).toEqual(before);
    expect(startsOf(fleet.service.requests)).toHaveLength(starts);
    expect((await fleet.stack.exportState()).filter(({ type }) => type.includes("BundleCopy"))).toHaveLength(
      2,
    );
  });
});

describe("commit.sh", () => {
  const git = (folder: string, ...args: string[]): string =>
    execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", env: { ...process.env, ...IDENTITY } });
  const IDENTITY = {
    GIT_AUTHOR_NAME: "ci",
    GIT_AUTHOR_EMAIL: "ci@example.com",
    GIT_COMMITTER_NAME: "ci",
    GIT_COMMITTER_EMAIL: "ci@example.com",
    GIT_CONFIG_GLOBAL: "/nonexistent",
  };
  const commit = (folder: string): string =>
    execFileSync("sh", [join(EXAMPLE, "commit.sh"), folder, "Sites of team-a"], {
      encoding: "utf8",
      stdio: "pipe",
      env: { ...process.env, ...IDENTITY },
    });

  /** A repository, and checkouts of it. */
  async function repository(
    context: TestContext,
  ): Promise<{ origin: string; checkout: (name: string) => string }> {
    const folder = await mkdtemp(join(tmpdir(), "releases-"));
    context.onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const origin = join(folder, "origin.git");
    execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch", "main", origin]);
    const checkout = (name: string): string => {
      const to = join(folder, name);
      execFileSync("git", ["clone", "--quiet", origin, to], { stdio: "ignore" });
      return to;
    };
    const first = checkout("first");
    git(first, "commit", "--quiet", "--allow-empty", "--message", "begin");
    git(first, "push", "--quiet", "origin", "HEAD:main");
    return { origin, checkout };
  }

  function change(checkout: string, stack: string, text: string): string {
    const folder = join(checkout, stack);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "guide.yaml"), text);
    return folder;
  }

  test("pushes the changes of the stack's folder and nothing else; without changes there is no commit", async (context) => {
    const { origin, checkout } = await repository(context);
    const own = checkout("own");
    const folder = change(own, "team-a-01", "one");
    writeFileSync(join(own, "beside.txt"), "not meant");
    commit(folder);
    expect(git(origin, "log", "--format=%s", "main").trim().split("\n")).toEqual([
      "Sites of team-a",
      "begin",
    ]);
    expect(git(origin, "ls-tree", "-r", "--name-only", "main").trim()).toBe("team-a-01/guide.yaml");
    expect(commit(folder)).toBe("nothing changed\n");
    rmSync(join(folder, "guide.yaml"));
    commit(folder);
    expect(git(origin, "ls-tree", "-r", "--name-only", "main")).toBe("");
  });

  test("a push that another stack has overtaken is repeated on top of that stack's", async (context) => {
    const { origin, checkout } = await repository(context);
    const [one, other] = [checkout("one"), checkout("other")];
    commit(change(one, "team-a-01", "one"));
    commit(change(other, "team-b-01", "other"));
    expect(git(origin, "ls-tree", "-r", "--name-only", "main").trim().split("\n")).toEqual([
      "team-a-01/guide.yaml",
      "team-b-01/guide.yaml",
    ]);
  });

  test("when the push is impossible, the run fails and says so", async (context) => {
    const { origin, checkout } = await repository(context);
    const own = checkout("own");
    writeFileSync(join(origin, "hooks/pre-receive"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    expect(() => commit(change(own, "team-a-01", "one"))).toThrow("not pushed");
  });
});

test("the manifests for Flux lead to the chart, the folder and the namespace that the program writes for", () => {
  const documents = parseAllDocuments(readFileSync(join(EXAMPLE, "flux/team-a.yaml"), "utf8")).map(
    (document) =>
      document.toJS() as { kind: string; metadata: { name: string; namespace: string }; spec: Values },
  );
  expect(documents.map(({ kind, metadata: { name, namespace } }) => [kind, name, namespace])).toEqual([
    ["GitRepository", "docs-releases", "team-a"],
    ["OCIRepository", "docs-server", "team-a"],
    ["Kustomization", "team-a-01", "team-a"],
  ]);
  expect(documents[2]?.spec).toMatchObject({ path: "./team-a-01", prune: true });
});
