// Copies with the Markdown of their pages and with files of other hosts, whose process is killed (SIGKILL) while it fetches, writes or
// publishes: the place has the old copy or none, the next `up` makes the same copy as a run that nobody killed, and one more requests
// nothing. SEED=… repeats a run.
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packedSite } from "../simulation/packedSite.ts";
import { seededRandom } from "../simulation/seededRandom.ts";
import type { Job } from "./publicationProcess.ts";

const KILLS = Math.ceil(Number(process.env["KILLS"] ?? 20) / 5);
const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1e9));
const PROGRAM = join(import.meta.dirname, "publicationProcess.ts");
const PAGES = 150;
const random = seededRandom(SEED);
const shares = Array.from({ length: KILLS }, (_, number) => ({
  percent: Math.floor(((number + random()) / KILLS) * 100),
}));

/** A host whose files refer to each other, and what was requested from it. */
const FILES: Readonly<Record<string, readonly [type: string, text: string]>> = {
  "/style.css": ["text/css", '@import "more.css"; @font-face { font-family: F; src: url(font.woff2) }'],
  "/more.css": ["text/css", "body { background: url(picture.svg) }"],
  "/font.woff2": ["font/woff2", "wOF2 font"],
  "/picture.svg": [
    "image/svg+xml",
    '<svg xmlns="http://www.w3.org/2000/svg"><image href="inner.png"/></svg>',
  ],
  "/inner.png": ["image/png", "\u0089PNG"],
  "/app.js": ["text/javascript", 'import "./part.js"; export const one = 1;'],
  "/part.js": ["text/javascript", 'import "./app.js"; export const two = 2;'],
};
const requested: string[] = [];
const server = createServer((request, response) => {
  requested.push(request.url ?? "");
  const [type, text] = FILES[request.url ?? ""] ?? [];
  // a moment, in which a kill finds the request open
  setTimeout(() => {
    if (type === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": type }).end(text);
  }, 30);
});
let host = "";
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** A place, a bundle and the records of a stack. */
class Stack {
  readonly root = mkdtempSync(join(tmpdir(), "fetched-"));
  readonly place = join(this.root, "place");

  constructor() {
    mkdirSync(this.place);
  }

  /** @param state of the copy, as the engine has it */
  start(state?: object): ChildProcess {
    const head = `<link rel="stylesheet" href="${host}/style.css"><script type="module" src="${host}/app.js"></script>`;
    const page = (number: number): string =>
      `<!doctype html><html lang="en"><head><title>Page ${number}</title>${head}</head><body><main><h1>Page ${number}</h1><p>Text ${number}.</p></main></body></html>`;
    const pages = Array.from({ length: PAGES }, (_, number) => [
      number === 0 ? "index.html" : `part/${number}.html`,
      page(number),
    ]);
    const job: Job = {
      resource: "BundleCopy",
      inputs: {
        source: {
          ...packedSite(this.root, "bundle", Object.fromEntries(pages) as Record<string, string>),
          version: "v1",
        },
        destination: { folder: this.place, layout: "site" },
        llmsTxt: { full: true },
        fetchExternal: true,
        offlineSearch: true,
        requireSelfContained: true,
      },
      notes: join(this.root, "notes"),
      machine: "kills",
      ...(state && { state }),
    };
    return spawn(process.execPath, [PROGRAM, JSON.stringify(job)], {
      env: { ...process.env, PULUMI_HOME: join(this.root, "home"), TMPDIR: this.root },
      stdio: ["ignore", "pipe", "inherit"],
    });
  }

  /** @returns the state that the engine gets */
  async up(state?: object): Promise<object> {
    const child = this.start(state);
    let output = "";
    child.stdout?.on("data", (part: Buffer) => (output += part.toString()));
    await once(child, "close");
    const [, answer] = /^answer (.*)\n/m.exec(output) ?? [];
    if (answer === undefined) throw new Error(output);
    return JSON.parse(answer) as object;
  }

  /** The digests of the published files, by their paths. */
  published(): Record<string, string> {
    const site = join(this.place, "current");
    return Object.fromEntries(
      readdirSync(site, { recursive: true })
        .map(String)
        .filter((path) => statSync(join(site, path)).isFile())
        .sort()
        .map((path) => [
          path,
          createHash("sha256")
            .update(readFileSync(join(site, path)))
            .digest("hex"),
        ]),
    );
  }

  /** Names in the place, without what marks it as ours. */
  names(): string[] {
    return readdirSync(this.place)
      .filter((name) => name !== ".docs-hosting")
      .sort();
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** How far a run is: what it requested, and what it wrote. */
function progressOf(stack: Stack, before: number): number {
  let files = 0;
  try {
    files = readdirSync(stack.place, { recursive: true }).length;
  } catch {
    // it changes at the moment
  }
  return (requested.length - before) * 20 + files;
}

let whole: Record<string, string>;
let end = 0;
test("a run that nobody kills requests each file once", async ({ onTestFinished }) => {
  const stack = new Stack();
  onTestFinished(() => stack.remove());
  await stack.up();
  expect(requested.toSorted()).toEqual(Object.keys(FILES).sort());
  whole = stack.published();
  expect(Object.keys(whole).filter((path) => path.endsWith(".md"))).toHaveLength(PAGES);
  end = progressOf(stack, 0);
});

test.for(shares)(
  "a run that is killed at $percent% of its work is repaired by the next one",
  async ({ percent }, { onTestFinished }) => {
    const stack = new Stack();
    onTestFinished(() => stack.remove());
    const before = requested.length;
    const child = stack.start();
    const closed = once(child, "close");
    while (child.exitCode === null && progressOf(stack, before) < (percent / 100) * end) await delay(1);
    child.kill("SIGKILL");
    await closed;
    // under its name is a whole copy, or none
    const isPublished = stack.names().includes("current");
    if (isPublished) expect(stack.published()).toEqual(whole);
    const state = await stack.up();
    expect(stack.published()).toEqual(whole);
    // the draft of a run that had published everything stays until the next content
    const names = stack.names().filter((name) => !(isPublished && name.endsWith(".draft")));
    expect(names.map((name) => name.replace(/^[0-9a-f]{64}/, "site")).sort()).toEqual([
      "current",
      "site",
      "site.json",
    ]);
    expect(readdirSync(join(stack.root, "notes"))).toEqual([]);
    const after = requested.length;
    await stack.up(state);
    expect(requested.slice(after)).toEqual([]);
  },
);

test("two resources whose pages load from the same host, at once, have the same copy", async ({
  onTestFinished,
}) => {
  const stacks = [new Stack(), new Stack()];
  onTestFinished(() => stacks.forEach((stack) => stack.remove()));
  await Promise.all(stacks.map((stack) => stack.up()));
  expect(stacks.map((stack) => stack.published())).toEqual([whole, whole]);
});

afterAll(() => console.log(`SEED=${SEED}: ${KILLS} kills of copies with llmsTxt and fetchExternal`));
