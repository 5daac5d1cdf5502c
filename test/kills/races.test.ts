// Two processes, each of a stack of its own, publish and remove at one place at the same time. After each round the copy of each
// stack is whole, and the place leads to one of them; after both are destroyed nothing is left. RACES=200 sets the number of
// rounds for each kind of destination, SEED=… repeats a run.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { CANARIES } from "../simulation/bucketStub.ts";
import { packedSite } from "../simulation/packedSite.ts";
import { seededRandom } from "../simulation/seededRandom.ts";
import { PLACES } from "./publicationPlaces.ts";
import type { Report, Turn } from "./racingProcess.ts";

const RACES = Number(process.env["RACES"] ?? 200);
const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1e9));
const PROGRAM = join(import.meta.dirname, "racingProcess.ts");
/** How a run may fail that met another one: the next `up` completes it. */
const MET_ANOTHER = /was removed by somebody else while|was written by somebody else at the same time/;

/** A process with a stack. */
class Stack {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor(name: string, home: string) {
    this.name = name;
    const urn = `urn:pulumi:${name}::website::pulumi-nodejs:dynamic/docs-hosting:BundleCopy::docs`;
    this.#child = spawn(process.execPath, [PROGRAM, urn], {
      env: { ...process.env, PULUMI_HOME: home },
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#answers = createInterface({ input: this.#child.stdout ?? process.stdin })[Symbol.asyncIterator]();
  }

  async act(turn: Turn): Promise<Report> {
    this.#child.stdin?.write(`${JSON.stringify(turn)}\n`);
    const answer = await this.#answers.next();
    if (answer.done === true) throw new Error(`the process of ${this.name} has ended`);
    return JSON.parse(answer.value) as Report;
  }

  async end(): Promise<void> {
    const ended = once(this.#child, "close");
    this.#child.stdin?.end();
    await ended;
  }
}

/** Two contents with a common file. */
function bundles(root: string): object[] {
  return ["v1", "v2"].map((version) => {
    const pages = Array.from({ length: 5 }, (_, page) => [`${version}-${page}.html`, `page ${page}`]);
    const own = [["index.html", `<h1>${version}</h1>`], ["same.html", "<p>the same</p>"], ...pages];
    return { ...packedSite(root, version, Object.fromEntries(own) as Record<string, string>), version };
  });
}

const figures: string[] = [];

test.each(Object.keys(PLACES).filter((name) => !name.includes("search")))(
  `%s: ${RACES} times two processes publish and remove at once, and no copy that a stack has is lost (SEED=${SEED})`,
  { timeout: 120_000 + RACES * 6_000 },
  async (name) => {
    const place = PLACES[name];
    if (!place) throw new Error("no such place");
    const random = seededRandom(SEED);
    const root = mkdtempSync(join(tmpdir(), "races-"));
    const ends: (() => unknown)[] = [];
    const totals = { together: 0, destroyed: 0, met: 0, given: 0 };
    const stacks = ["dev", "prod"].map((each) => new Stack(each, join(root, `home-${each}`)));
    try {
      const target = await place({ onTestFinished: (end) => void ends.push(end as () => unknown) }, root);
      const sources = bundles(root);
      const turn = (action: Turn["action"], source: object | undefined): Turn => ({
        action,
        resource: target.resource,
        inputs: { ...target.inputs, source, keep: 0 },
      });
      for (let round = 0; round < RACES; round++) {
        const wanted = stacks.map(() => sources[random() < 0.5 ? 0 : 1]);
        const actions = stacks.map((): Turn["action"] => (random() < 0.4 ? "destroy" : "up"));
        const reports = await Promise.all(
          stacks.map((stack, index) => stack.act(turn(actions[index] ?? "up", wanted[index]))),
        );
        totals.together++;
        const story = `round ${round}: ${JSON.stringify({ actions, wanted, reports })}`;
        for (const [index, stack] of stacks.entries()) {
          const report = reports[index];
          if (actions[index] === "destroy") {
            expect(report?.error, story).toBeUndefined();
            totals.destroyed++;
          } else if (report?.error !== undefined) {
            expect(report.error, story).toMatch(MET_ANOTHER);
            totals.met++;
            expect((await stack.act(turn("up", wanted[index]))).error, story).toBeUndefined();
          }
        }
        // each copy is whole; of two with different contents, the place leads to one
        const found: (Report & { stack: Stack; source: object | undefined })[] = [];
        for (const [index, stack] of stacks.entries()) {
          const source = wanted[index];
          if (actions[index] === "up") {
            found.push({ ...(await stack.act(turn("refresh", source))), stack, source });
          }
        }
        const seen = `${story}; then ${JSON.stringify(found)}`;
        for (const each of found) expect(each.address, seen).toBeDefined();
        const [one, other] = found;
        const isShared = other !== undefined && one?.address !== other.address;
        const drifted = found.filter((each) => each.drifted !== undefined);
        expect(drifted.length, seen).toBeLessThanOrEqual(isShared ? 1 : 0);
        for (const each of drifted) expect(each.drifted, seen).toBe("changed");
        const [lost] = drifted;
        const rival = found.find((each) => each !== lost);
        if (lost && rival) {
          await rival.stack.act(turn("destroy", rival.source));
          const again = await lost.stack.act(turn("refresh", lost.source));
          const end = `${seen}; then ${rival.stack.name} was destroyed: ${JSON.stringify(again)}`;
          if (again.drifted === undefined) {
            totals.given++;
          } else {
            // two sites in one bucket: files that were replaced at the same time are not kept, and a run says so
            expect(reports.flatMap(({ warnings }) => warnings).join("\n"), end).toContain("at the same time");
            await lost.stack.act(turn("up", lost.source));
            expect((await lost.stack.act(turn("refresh", lost.source))).drifted, end).toBeUndefined();
          }
        }
        if (random() < 0.3) {
          const ended = stacks.map((stack, index) => stack.act(turn("destroy", wanted[index])));
          for (const { error } of await Promise.all(ended)) expect(error, seen).toBeUndefined();
          expect(target.left(), `${seen}; then both were destroyed at once`).toEqual([]);
        }
      }
      for (const stack of stacks) await stack.act(turn("destroy", sources[0]));
      expect(target.left()).toEqual([]);
      figures.push(
        `${name}: ${totals.together} rounds, ${totals.destroyed} removals; the place was given to the other stack ${totals.given} times; ` +
          `${totals.met} runs met another one and were repeated`,
      );
    } finally {
      for (const stack of stacks) await stack.end();
      for (const end of ends) end();
      rmSync(root, { recursive: true, force: true });
    }
  },
);

beforeAll(() => {
  for (const [name, value] of Object.entries(CANARIES)) vi.stubEnv(name, value);
});

afterAll(() => {
  vi.unstubAllEnvs();
  console.log(figures.join("\n"));
});
