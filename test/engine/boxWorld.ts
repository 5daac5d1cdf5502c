// A folder with a program, a provider of boxes and a stack's state, for one test of the local engine.
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStack, type Stack, type StackSettings } from "./index.ts";

export interface BoxWorld {
  stack: Stack;
  /** The statements of the program. `Box` and `pulumi` are in scope. */
  program(statements: string): void;
  /** «method name» of all calls that change something, in their order. */
  changes(): string[];
  urn(name: string): string;
  remove(): void;
}

const root = join(import.meta.dirname, "../../.work/engine-tests");

export async function createBoxWorld(settings: Partial<StackSettings> = {}): Promise<BoxWorld> {
  const folder = join(root, randomUUID());
  const path = (name: string) => join(folder, name);
  mkdirSync(folder, { recursive: true });
  // another `kind` of box is another box; the engine compares the rest
  const handler = `exports.handler = () => {
  const make = (method) => async (...args) => {
    const { name, ...news } = args.at(-1);
    require("node:fs").appendFileSync(${JSON.stringify(path("calls"))}, method + " " + name + "\\n");
    return { id: name, outs: { ...news, name, label: "box " + name } };
  };
  return {
    check: async (_olds, inputs) => ({ inputs, failures: [] }),
    diff: async (_id, olds, news) => ({ replaces: olds.kind === news.kind ? [] : ["kind"] }),
    create: make("create"),
    update: make("update"),
    delete: async (id) => void make("delete")({ name: id }),
  };
}`;
  const program = (statements: string) =>
    writeFileSync(
      path("index.js"),
      `const pulumi = require("@pulumi/pulumi");
class Box extends pulumi.CustomResource {
  constructor(name, inputs = {}, options = {}) {
    super("pulumi-nodejs:dynamic/test:Box", name,
      { label: undefined, __provider: ${JSON.stringify(handler)}, name, ...inputs }, options);
  }
}
${statements}
`,
    );
  program("");
  return {
    stack: await openStack("local", {
      program: path("index.js"),
      project: "test",
      stack: "dev",
      stateFolder: path("state"),
      passphrase: "correct horse",
      ...settings,
    }),
    program,
    changes: () =>
      existsSync(path("calls")) ? readFileSync(path("calls"), "utf8").split("\n").slice(0, -1) : [],
    urn: (name) => `urn:pulumi:dev::test::pulumi-nodejs:dynamic/test:Box::${name}`,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
