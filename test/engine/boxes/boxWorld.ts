// A folder with a program, a provider's data and a stack's state, for one test.
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import { openStack, type EngineKind, type Stack, type StackSettings, type Step } from "../index.ts";
import { parseUrn } from "../urn.ts";
import { files, type Boxes, type Call, type Order } from "./boxProvider.ts";

export interface BoxWorld {
  stack: Stack;
  folder: string;
  /** Opens the same stack again, with other settings if given. */
  reopen(settings?: Partial<StackSettings>): Promise<Stack>;
  /** The statements of the program. `Box`, `Shelf` (a component) and `pulumi` are in scope. */
  program(statements: string): void;
  order(orders: Record<string, Order>): void;
  /** Creates the file that a call waits for. */
  allow(name: string): void;
  boxes: { read(): Boxes; write(boxes: Boxes): void };
  /** Forgets the calls so far. */
  forgetCalls(): void;
  /** «method name», in the order of their start; without checks and diffs. */
  changes(): string[];
  calls(): Call[];
  until(condition: () => boolean): Promise<void>;
  urn(name: string): string;
  remove(): void;
}

const root = join(import.meta.dirname, "../../../.work/engine-tests");
const providerFile = join(import.meta.dirname, "boxProvider.ts");

export async function createBoxWorld(
  kind: EngineKind,
  settings: Partial<StackSettings> = {},
): Promise<BoxWorld> {
  const folder = join(root, randomUUID());
  const path = (name: string) => join(folder, name);
  mkdirSync(folder, { recursive: true });
  const handler = `exports.handler = () => require(${JSON.stringify(providerFile)}).createBoxProvider(${JSON.stringify(folder)})`;

  const program = (statements: string) =>
    writeFileSync(
      path("index.js"),
      `const pulumi = require("@pulumi/pulumi");
class Box extends pulumi.CustomResource {
  constructor(name, inputs = {}, options = {}) {
    super("pulumi-nodejs:dynamic/test:Box", name,
      { label: undefined, serial: undefined, __provider: ${JSON.stringify(handler)}, name, ...inputs }, options);
  }
}
class Shelf extends pulumi.ComponentResource {
  constructor(name, options = {}) {
    super("test:index:Shelf", name, {}, options);
  }
}
${statements}
`,
    );
  const open = (changed: Partial<StackSettings> = {}) =>
    openStack(kind, {
      program: path("index.js"),
      project: "test",
      stack: "dev",
      stateFolder: path("state"),
      passphrase: "correct horse",
      ...settings,
      ...changed,
    });
  const calls = () =>
    existsSync(path(files.calls))
      ? readFileSync(path(files.calls), "utf8")
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => JSON.parse(line) as Call)
      : [];

  program("");
  return {
    stack: await open(),
    folder,
    reopen: open,
    program,
    order: (orders) => writeFileSync(path(files.orders), JSON.stringify(orders)),
    allow: (name) => writeFileSync(path(name), ""),
    boxes: {
      read: () => JSON.parse(readFileSync(path(files.boxes), "utf8")) as Boxes,
      write: (boxes) => writeFileSync(path(files.boxes), JSON.stringify(boxes)),
    },
    forgetCalls: () => rmSync(path(files.calls), { force: true }),
    changes: () =>
      calls()
        .filter(({ method }) => method !== "check" && method !== "diff")
        .map(({ method, name }) => `${method} ${name}`),
    calls,
    until: (condition) => vi.waitUntil(condition, { timeout: 60_000, interval: 20 }).then(() => undefined),
    urn: (name) => `urn:pulumi:dev::test::pulumi-nodejs:dynamic/test:Box::${name}`,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** «op name» of the resources that changed. */
export const changed = (steps: readonly Step[]): string[] =>
  steps
    .filter(({ op, urn }) => op !== "same" && !urn.includes("pulumi:pulumi:Stack"))
    .map(({ op, urn }) => `${op} ${parseUrn(urn).name}`);
