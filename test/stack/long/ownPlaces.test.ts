// A place belongs to one resource: what users do with a place that is, or seems to be, another's, at each kind of place.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openStack, type OperationResult, type Stack } from "../../engine/index.ts";
import { STUB_ACCOUNT_KEY } from "../../simulation/azureStub.ts";
import { CANARIES } from "../../simulation/bucketStub.ts";
import { packedSite } from "../../simulation/packedSite.ts";
import { startRegistryServer } from "../../simulation/registryStub.ts";
import { PLUGINS, type Setting } from "../adapters.ts";
import {
  BUCKET_STORES,
  bucketKinds,
  type Content,
  folderKinds,
  type Outputs,
  type PlaceKind,
  repositoryKinds,
} from "../ownPlaces.ts";
import { buildWorld, nameOf, onEachEngine, type World } from "../world.ts";

/** A resource at a place. */
interface Declared {
  readonly as: string;
  readonly version?: string;
  /** Beside the place of the operation: another one. */
  readonly at?: string;
  readonly takeOver?: boolean;
  /** Options of the resource, as the program writes them. */
  readonly options?: string;
  readonly inComponent?: boolean;
  readonly imports?: string;
}

/** A place during an operation of the table, and the stacks that publish there. */
interface Table {
  readonly kind: PlaceKind;
  readonly setting: Setting;
  readonly one: Stack;
  readonly two: Stack;
  /** The stack `one` in another backend, on another machine. */
  readonly elsewhere: Stack;
  /** Runs `pulumi up`, which must succeed. @returns what it printed */
  readonly up: (
    stack: Stack,
    declared: readonly Declared[],
    how?: { replace?: boolean; refresh?: boolean },
  ) => Promise<string>;
  /** Runs `pulumi up`, which must be refused with such a text, and write nothing. @param by the operation */
  readonly refused: (
    stack: Stack,
    declared: readonly Declared[],
    text: RegExp,
    by?: "up" | "preview",
  ) => Promise<void>;
  readonly taint: (stack: Stack) => Promise<void>;
  /** Runs `pulumi destroy`, which must succeed. @returns what it printed */
  readonly destroy: (stack: Stack) => Promise<string>;
  /** The copy of a resource must be there. */
  readonly whole: (stack: Stack, as: string, version?: string, at?: string) => Promise<void>;
  readonly nothingLeft: (at?: string) => void;
  readonly importId: (stack: Stack, as: string) => Promise<string>;
  readonly writes: () => string;
}

const a: Declared = { as: "a" };
const b: Declared = { as: "b" };
const TAKEN_OVER = /is taken over/;

const OPERATIONS: Readonly<Record<string, (table: Table) => Promise<void>>> = {
  async "--replace"({ up, one, whole, destroy, nothingLeft }) {
    await up(one, [a]);
    await up(one, [a], { replace: true });
    await whole(one, "a");
    await destroy(one);
    nothingLeft();
  },
  async taint({ up, one, taint, whole, destroy, nothingLeft }) {
    await up(one, [a]);
    await taint(one);
    await up(one, [a]);
    await whole(one, "a");
    await destroy(one);
    nothingLeft();
  },
  async rename({ kind, up, one, whole, destroy, nothingLeft }) {
    await up(one, [a]);
    const text = await up(one, [b]);
    if (kind.hasOneOwner && !kind.name.startsWith("repository")) expect(text).toMatch(TAKEN_OVER);
    await whole(one, "b");
    await destroy(one);
    nothingLeft();
  },
  async "move into a component"({ up, one, whole, destroy, nothingLeft }) {
    await up(one, [a]);
    await up(one, [{ ...a, inComponent: true }]);
    await whole(one, "a");
    await destroy(one);
    nothingLeft();
  },
  async "move to another place"({ up, one, whole, destroy, nothingLeft }) {
    await up(one, [a]);
    await up(one, [{ ...a, at: "-moved" }]);
    await whole(one, "a", "v1", "-moved");
    nothingLeft();
    await destroy(one);
    nothingLeft("-moved");
  },
  async retain({ kind, up, one, whole, destroy, nothingLeft }) {
    await up(one, [{ ...a, options: "{ retainOnDelete: true }" }]);
    await up(one, []);
    await up(one, [b]);
    await whole(one, "b");
    await destroy(one);
    // a repository is shared: the retained image keeps its mark
    if (!kind.name.startsWith("repository")) nothingLeft();
  },
  async deleteBeforeReplace({ up, one, whole, destroy, nothingLeft }) {
    const declared = [{ ...a, options: "{ deleteBeforeReplace: true }" }];
    await up(one, declared);
    await up(one, declared, { replace: true });
    await whole(one, "a");
    await destroy(one);
    nothingLeft();
  },
  async "two in a program"({ kind, up, refused, one, whole, destroy, nothingLeft }) {
    if (kind.hasOneOwner) {
      await refused(one, [a, b], /is the place of .*::[ab], too, which this program declares/s, "preview");
      await destroy(one);
      nothingLeft();
      await up(one, [a]);
    } else {
      await up(one, [a, b]);
      await up(one, [a]);
    }
    await whole(one, "a");
    await destroy(one);
    nothingLeft();
  },
  async "two stacks"({ kind, up, refused, one, two, whole, destroy, nothingLeft }) {
    await up(one, [a]);
    if (kind.hasOneOwner) {
      // before an export is waited for, where this machine can tell
      const by = /^(?:folder|kit)/.test(kind.name) ? "preview" : "up";
      await refused(two, [b], /belongs to .*::a\b.*takeOver: true/s, by);
      await destroy(two);
    } else {
      await up(two, [b]);
      await whole(two, "b");
      await destroy(two);
    }
    await whole(one, "a");
    await up(one, [a], { refresh: true });
    await whole(one, "a");
    await destroy(one);
    nothingLeft();
  },
  async "import elsewhere"({ kind, setting, up, one, two, whole, destroy, nothingLeft, importId, writes }) {
    if (setting.adapter !== "native" || kind.resource !== "BundleCopy") return; // what cannot be imported
    await up(one, [a]);
    const before = writes();
    await up(two, [{ ...b, imports: await importId(one, "a") }]);
    if (!kind.name.startsWith("repository")) expect(writes()).toBe(before);
    const text = await up(two, [{ ...b, version: "v2" }]);
    if (!kind.name.startsWith("repository")) expect(text).toMatch(TAKEN_OVER);
    await whole(two, "b", "v2");
    await destroy(one);
    await whole(two, "b", "v2");
    await destroy(two);
    nothingLeft();
  },
  async takeOver({ kind, up, one, two, refused, whole, destroy, nothingLeft }) {
    await up(one, [a]);
    const text = await up(two, [{ ...b, takeOver: true, version: "v2" }]);
    if (!kind.name.startsWith("repository")) expect(text).toMatch(TAKEN_OVER);
    await whole(two, "b", "v2");
    await up(two, [{ ...b, takeOver: true, version: "v2" }]);
    if (kind.hasOneOwner) await refused(one, [{ ...a, version: "v3" }], /belongs to .*::b\b/s);
    await destroy(one);
    await whole(two, "b", "v2");
    await destroy(two);
    nothingLeft();
  },
  // the engine has stored nothing, and PULUMI_HOME is another one
  async "killed create on another machine"({ kind, up, one, elsewhere, whole, destroy, nothingLeft }) {
    await up(one, [a]);
    const text = await up(elsewhere, [a]);
    if (!kind.name.startsWith("repository")) expect(text).toMatch(TAKEN_OVER);
    await whole(elsewhere, "a");
    await destroy(elsewhere);
    nothingLeft();
  },
  async "two backends of one name"({ kind, up, refused, one, elsewhere, whole, destroy, nothingLeft }) {
    await up(one, [a]);
    await up(elsewhere, [a]);
    if (kind.hasOneOwner) {
      await refused(one, [{ ...a, version: "v2" }], /belongs to .*(?:another backend|owner ID)/s);
    }
    await destroy(one);
    await whole(elsewhere, "a");
    await destroy(elsewhere);
    nothingLeft();
  },
};

const KINDS = [
  "folder, archive",
  "folder, site",
  "kit",
  ...BUCKET_STORES.flatMap(({ name }) => [`${name}, archive`, `${name}, site`]),
  "repository",
  "repository with a tag",
];
const CREDENTIALS = { ...CANARIES, AZURE_STORAGE_KEY: STUB_ACCOUNT_KEY };

/** Operations that were chosen by their names. */
const chosen = process.env["OPERATION"];

/** All that an operation printed. */
const printed = ({ text, error, logs, steps }: OperationResult): string =>
  [text, error, ...logs.map(({ message }) => message), ...steps.map((step) => step.error)].join("\n");

function programOf(world: World, kind: PlaceKind, place: string, all: readonly Declared[]): string {
  return all
    .map(({ as, version = "v1", at = "", takeOver, options = "{}", inComponent = false, imports }) => {
      const source = { file: join(world.programFolder, `${version}.tar.gz`), version };
      const inputs = { source, ...kind.inputs(`${place}${at}`), keep: 0, takeOver };
      const more = [
        ...(inComponent ? [`parent: new pulumi.ComponentResource("test:index:Group", "${as}")`] : []),
        ...(imports === undefined ? [] : [`import: ${JSON.stringify(imports)}`]),
      ];
      return `new ${kind.resource}("${as}", ${JSON.stringify(inputs)}, { ...${options}, ${more.join(", ")} });`;
    })
    .join("\n");
}

onEachEngine({ name: "places", withBoth: true }, (setting) => {
  test.concurrent.each(KINDS)(
    "%s: it belongs to one resource, whatever users do",
    // for hangs alone: on the CLI, the table is a hundred runs
    { timeout: setting.engine === "cli" ? 3_600_000 : 600_000 },
    async (name) => {
      await runTable(setting, name);
    },
  );
});

async function runTable(setting: Setting, kindName: string): Promise<void> {
  const ends: (() => unknown)[] = [];
  const context = { onTestFinished: (end: unknown) => void ends.push(end as () => unknown) };
  try {
    const world = await buildWorld(context, setting, { env: CREDENTIALS });
    const buckets = await Promise.all(
      BUCKET_STORES.map(async (store) => bucketKinds(store, await store.start(context))),
    );
    const kinds = [
      ...folderKinds(world.programFolder),
      ...buckets.flat(),
      ...repositoryKinds(await startRegistryServer(context)),
    ];
    const kind = kinds.find(({ name }) => name === kindName);
    if (!kind) throw new Error(`there is no kind ${kindName}`);
    const contents: Record<string, Content> = {};
    mkdirSync(join(world.programFolder, "places"));
    for (const version of ["v1", "v2", "v3"]) {
      const text = `The page of ${version}.`;
      const { file } = packedSite(world.programFolder, version, {
        "index.html": text,
        "guide/a.html": version,
      });
      contents[version] = { text, sha256: createHash("sha256").update(readFileSync(file)).digest("hex") };
    }
    const problems: string[] = [];
    for (const [operation, act] of Object.entries(OPERATIONS)) {
      if (chosen !== undefined && chosen !== operation) continue;
      const place = operation.replaceAll(/\W+/g, "-").replace(/^-/, "").toLowerCase();
      const failure = await act(await tableOf(world, setting, kind, place, contents)).then(
        () => undefined,
        (error: unknown) => error as Error,
      );
      if (failure === undefined) continue;
      problems.push(`${operation}: ${failure.message}`);
      console.log(`${kindName}, ${setting.adapter}: ${problems.at(-1) ?? ""}`);
    }
    expect(problems).toEqual([]);
  } finally {
    for (const end of ends) await end();
  }
}

async function tableOf(
  world: World,
  { engine, adapter }: Setting,
  kind: PlaceKind,
  place: string,
  contents: Readonly<Record<string, Content>>,
): Promise<Table> {
  const one = await world.open({ stack: `${place}-1` });
  const two = await world.open({ stack: `${place}-2` });
  const elsewhere = await openStack(engine, {
    program: world.programFolder,
    project: "scenario",
    stack: `${place}-1`,
    stateFolder: join(world.programFolder, "../elsewhere"),
    passphrase: "correct horse",
    reuseProcesses: true,
    ...(adapter === "native" && { plugins: PLUGINS }),
    env: CREDENTIALS,
  });
  const run = async (stack: Stack, declared: readonly Declared[], how: Parameters<Table["up"]>[2] = {}) => {
    world.program(programOf(world, kind, place, declared));
    const replaces = how.replace === true ? await urnsIn(stack) : [];
    return stack.up({ replaces, refresh: how.refresh === true });
  };
  const outputsOf = async (stack: Stack, as: string): Promise<Outputs> =>
    (await stack.exportState()).find(({ urn }) => nameOf(urn) === as && urn.includes(kind.resource))
      ?.outputs ?? {};
  return {
    kind,
    setting: { engine, adapter },
    one,
    two,
    elsewhere,
    async up(stack, declared, how) {
      const result = await run(stack, declared, how);
      if (!result.ok) throw new Error(`an up failed: ${printed(result)}`);
      return printed(result);
    },
    async refused(stack, declared, text, by = "up") {
      const before = JSON.stringify(kind.writes(place));
      world.program(programOf(world, kind, place, declared));
      const result = by === "up" ? await stack.up() : await stack.preview();
      if (result.ok) throw new Error(`the ${by} was not refused: ${printed(result)}`);
      if (!text.test(printed(result))) throw new Error(`refused without ${String(text)}: ${printed(result)}`);
      if (JSON.stringify(kind.writes(place)) !== before) throw new Error("a refused run wrote something");
    },
    taint: async (stack) => stack.taint(await urnsIn(stack)),
    async destroy(stack) {
      const result = await stack.destroy();
      if (!result.ok) throw new Error(`a destroy failed: ${printed(result)}`);
      return printed(result);
    },
    async whole(stack, as, version = "v1", at = "") {
      const content = contents[version];
      if (!content) throw new Error(`there is no ${version}`);
      const problem = kind.problem(`${place}${at}`, await outputsOf(stack, as), content);
      if (problem !== undefined) throw new Error(`${as}: ${problem}`);
    },
    nothingLeft(at = "") {
      const left = kind.left(`${place}${at}`);
      if (left.length > 0) throw new Error(`left: ${left.join(", ")}`);
    },
    async importId(stack, as) {
      const { uri } = await outputsOf(stack, as);
      const destination = kind.inputs(place)["destination"] as Readonly<Record<string, string | undefined>>;
      const { tag } = destination;
      // the address of an Azure container has it
      const endpoint = destination["azureContainer"] === undefined ? destination["endpoint"] : undefined;
      const fields = { file: join(world.programFolder, "v1.tar.gz"), version: "v1", endpoint, tag };
      const given = Object.entries(fields).flatMap(([name, value]) =>
        value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
      );
      return `${String(uri)}?${given.join("&")}`;
    },
    writes: () => JSON.stringify(kind.writes(place)),
  };
}

/** The copies and kits in a state. */
const urnsIn = async (stack: Stack): Promise<string[]> =>
  (await stack.exportState())
    .filter(({ type }) => /:(?:BundleCopy|AirGapKit)$/.test(type))
    .map(({ urn }) => urn);
