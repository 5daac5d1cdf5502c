// Runs all cases of some kinds of places side by side: every row has its own place and its own resources in the same two stacks.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "tar";
import type { Stack } from "../../engine/index.ts";
import type { Content, PlaceKind } from "./placesOfCopies.ts";
import type { Declared, Operation, Step } from "./sharedPlaceCases.ts";
import { nameOf, succeeded, type World } from "../world.ts";

/** What a row must come to. */
export const KEPT = "kept, unchanged, and then removed";

const VERSIONS = ["v1", "v2", "v3"];
/** Problems of a row that are shown. */
const SHOWN = 3;

interface Row {
  readonly kind: PlaceKind;
  readonly operation: Operation;
  /** Of the row alone: a path in every kind of place. */
  readonly place: string;
  /** What the program declares now. */
  first: readonly Declared[];
  second: readonly Declared[];
  readonly problems: string[];
  foreign: readonly string[];
  /** Whether a name is there because of what is foreign. */
  isBecause: (name: string) => boolean;
}

type Outputs = Readonly<Record<string, unknown>>;

/** Puts bundles and a chart beside the program. @returns the bundles, by version */
export function prepareBundles({ programFolder }: World): Record<string, Content> {
  const contents: Record<string, Content> = {};
  for (const version of VERSIONS) {
    const site = join(programFolder, "sites", version);
    mkdirSync(join(site, "assets"), { recursive: true });
    const text = `The page of ${version}.`;
    writeFileSync(join(site, "index.html"), `<h1>${text}</h1>`);
    writeFileSync(join(site, `assets/${version}.css`), `h1 { color: ${version === "v1" ? "red" : "blue"} }`);
    const file = join(programFolder, `${version}.tar.gz`);
    const what = ["index.html", "assets"];
    create({ file, cwd: site, gzip: true, portable: true, noMtime: true, sync: true }, what);
    contents[version] = { text, sha256: createHash("sha256").update(readFileSync(file)).digest("hex") };
  }
  const chart = join(programFolder, "chart");
  mkdirSync(chart, { recursive: true });
  writeFileSync(join(chart, "Chart.yaml"), "name: docs\nversion: 1.0.0\n");
  mkdirSync(join(programFolder, "places"), { recursive: true });
  symlinkSync("places", join(programFolder, "linked"), "dir");
  return contents;
}

/**
 * Carries out every operation at a place of each kind, in two stacks. Then each copy must be there, and another `up` must change and
 * write nothing, also after a refresh; and after the last destroy nothing of ours may be there.
 *
 * @returns {@link KEPT} or the problems of each row, by its name
 */
export async function runCases(
  world: World,
  kinds: readonly PlaceKind[],
  operations: readonly Operation[],
): Promise<Record<string, string>> {
  const contents = prepareBundles(world);
  const [one, two] = [world.stack, await world.open({ stack: "second" })];
  const rows = kinds.flatMap((kind) =>
    operations
      .filter(({ where = () => true }) => where(kind))
      .map((operation): Row => ({
        ...{ kind, operation, place: `${kind.name}/${operation.name}` },
        ...{ first: [], second: [], problems: [], foreign: [], isBecause: () => false },
      })),
  );
  const outputs = new Map<string, Outputs>();
  const remember = async (stack: Stack): Promise<void> => {
    for (const { urn, outputs: found } of await stack.exportState()) outputs.set(nameOf(urn), found);
  };
  const outputsOf = (row: Row, as: string): Outputs => outputs.get(nameIn(row, as)) ?? {};
  const run = async (stack: Stack, replaces: string[] = [], refresh = false): Promise<string[]> => {
    const which = stack === one ? "first" : "second";
    world.program(
      rows.map((row) => row[which].map((each) => declared(row, each, outputsOf)).join("")).join("\n"),
    );
    const { ok, error, steps, logs } = await stack.up({ replaces, refresh, continueOnError: true });
    const failed = steps.filter((step) => step.error !== undefined);
    if (!ok && failed.length === 0) throw new Error(error);
    for (const { urn, error: why } of failed)
      rowOf(rows, urn)?.problems.push(`${nameOf(urn)}: ${String(why)}`);
    await remember(stack);
    // with what its row said
    return steps
      .filter(({ op }) => op !== "same" && op !== "refresh")
      .map(({ urn }) => {
        const said = logs.filter((line) => line.urn === urn && !line.ephemeral).map(({ message }) => message);
        return [nameOf(urn), ...said].join(": ");
      });
  };

  const rounds = Math.max(...operations.map(({ steps }) => steps.length));
  for (let round = 0; round < rounds; round++) {
    const stepOf = ({ operation }: Row): Step => operation.steps[round] ?? {};
    const urns = await urnsOf(
      one,
      rows.filter((row) => stepOf(row).before !== undefined),
    );
    for (const row of rows) prepareRow(row, stepOf(row), outputsOf(row, "a"));
    await forgetOwners(
      one,
      rows.filter((row) => stepOf(row).before === "made by 0.7"),
    );
    const asked = (before: Step["before"]) =>
      rows.filter((row) => stepOf(row).before === before).flatMap((row) => urns.get(nameIn(row, "a")) ?? []);
    await one.taint(asked("taint"));
    const targets = rows
      .filter((row) => stepOf(row).refresh)
      .flatMap((row) => urns.get(nameIn(row, "a")) ?? []);
    if (targets.length > 0) succeeded(await one.refresh({ targets }));
    for (const row of rows) row.first = stepOf(row).first ?? row.first;
    await run(one, asked("--replace"));
    const isNeeded = rows.some(({ second }) => second.length > 0) || rows.some((row) => stepOf(row).second);
    for (const row of rows) row.second = stepOf(row).second ?? row.second;
    if (isNeeded) await run(two);
  }

  const contentOf = ({ version = "v1" }: Declared): Content => contents[version] ?? { sha256: "", text: "" };
  const look = (): void => {
    for (const row of rows) {
      for (const each of [...row.first, ...row.second]) {
        const hasPointer = !(row.kind.hasOnePointer === true && each.wasOvertaken === true);
        const naming = hasPointer ? { tag: each.tag } : undefined;
        const found = row.kind.problem(row.place, outputsOf(row, each.as), contentOf(each), naming);
        if (found !== undefined) row.problems.push(`${each.as}: ${found}`);
      }
      const left = row.kind.left(row.place);
      const lost = row.foreign.filter((name) => !left.includes(name));
      if (lost.length > 0) row.problems.push(`of others, these are lost: ${lost.join(", ")}`);
    }
  };
  look();
  const writes = (): unknown[] => rows.map(({ kind, place }) => JSON.stringify(kind.writes(place)));
  for (const refresh of [false, true]) {
    const before = writes();
    const changed = [...(await run(one, [], refresh)), ...(await run(two, [], refresh))];
    const after = writes();
    for (const [index, row] of rows.entries()) {
      // a refresh finds what another owner has now, and the next `up` takes it back
      if (refresh && row.kind.hasOnePointer === true && row.first.some(({ wasOvertaken }) => wasOvertaken))
        continue;
      const of = changed.filter((line) => line.startsWith(nameIn(row, "")));
      const when = refresh ? "after a refresh" : "at once";
      if (of.length > 0) row.problems.push(`the next up ${when} changes ${of.join(", ")}`);
      if (before[index] !== after[index]) row.problems.push(`the next up ${when} writes`);
    }
  }
  look();

  for (const stack of [one, two]) {
    const { steps } = await stack.destroy({ continueOnError: true });
    for (const { urn, error } of steps) if (error !== undefined) rowOf(rows, urn)?.problems.push(error);
  }
  for (const row of rows) {
    const left = row.kind.left(row.place);
    const ours = left.filter((name) => !row.foreign.includes(name) && !row.isBecause(name));
    const lost = row.foreign.filter((name) => !left.includes(name));
    if (row.operation.staysOwned === true) {
      const found = row.kind.problem(row.place, outputsOf(row, "a"), contentOf({ as: "a" }), {});
      if (found !== undefined) row.problems.push(`the destroy removed the copy of another owner: ${found}`);
    } else if (ours.length > 0) row.problems.push(`the last destroy leaves ${ours.join(", ")}`);
    if (lost.length > 0) row.problems.push(`the last destroy removes of others ${lost.join(", ")}`);
  }
  return Object.fromEntries(
    rows.map(({ place, problems }) => [place, problems.slice(0, SHOWN).join("; ") || KEPT]),
  );
}

const nameIn = ({ kind, operation }: Row, as: string): string => `${kind.name}.${operation.name}.${as}`;

const rowOf = (rows: readonly Row[], urn: string): Row | undefined =>
  rows.find((row) => nameOf(urn).startsWith(nameIn(row, "")));

/** What the program says of a resource. */
function declared(row: Row, each: Declared, outputsOf: (row: Row, as: string) => Outputs): string {
  const { version = "v1", keep, spelling, tag, options = "{}", inComponent = false, imports } = each;
  const name = nameIn(row, each.as);
  const source = { file: `${version}.tar.gz`, version };
  const inputs = {
    source,
    ...row.kind.inputs(row.place, { spelling, tag }),
    ...(keep !== undefined && { keep }),
  };
  const more = [
    ...(inComponent ? [`parent: new pulumi.ComponentResource("test:index:Group", "${name}")`] : []),
    ...(imports === undefined
      ? []
      : [`import: ${JSON.stringify(importId(outputsOf(row, imports), inputs))}`]),
  ];
  return `new ${row.kind.resource}("${name}", ${JSON.stringify(inputs)}, { ...${options}, ${more.join(", ")} });\n`;
}

/** The address of a copy, with what neither the address nor the copy contains. */
function importId({ uri }: Outputs, inputs: Record<string, unknown>): string {
  const { source, destination, signingKeyEnv } = inputs as {
    source: Record<string, string>;
    destination: Record<string, string>;
    signingKeyEnv?: string;
  };
  const { tag, endpoint } = destination;
  const fields = { ...source, tag, endpoint, signingKeyEnv };
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return `${String(uri)}?${given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join("&")}`;
}

async function urnsOf(stack: Stack, rows: readonly Row[]): Promise<Map<string, string[]>> {
  const urns = new Map<string, string[]>();
  if (rows.length === 0) return urns;
  for (const { urn, type } of await stack.exportState()) {
    if (!type.includes("docs-hosting")) continue;
    urns.set(nameOf(urn), [urn]);
  }
  return urns;
}

function prepareRow(row: Row, { before }: Step, outputs: Outputs): void {
  const { kind, place } = row;
  if (before === "foreign" || before === "foreign and lost") {
    Object.assign(row, kind.addForeign(place, outputs));
  }
  if (before === "foreign and lost") kind.lose?.(place, outputs);
  if (before === "removed") kind.remove(place, outputs);
}

/** Takes away what a version without marks does not have: the marks, and the owners in the state. */
async function forgetOwners(stack: Stack, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  for (const { kind, place } of rows) kind.forgetOwners(place);
  const state = (await stack.exportState()).map((resource) => {
    if (rowOf(rows, resource.urn) === undefined) return resource;
    const { owner, ...bookkeeping } = resource.outputs["__bookkeeping"] as Record<string, unknown>;
    if (owner === undefined) throw new Error(`the state of ${resource.urn} names no owner`);
    return { ...resource, outputs: { ...resource.outputs, __bookkeeping: bookkeeping } };
  });
  await stack.importState(state);
}
