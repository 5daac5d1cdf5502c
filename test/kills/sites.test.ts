// Processes that publish the same site in one folder, simultaneously and killed (SIGKILL) at random instants: the next run
// removes what they leave, and only a whole site ever has a site's name. SEED=… repeats a run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, test, type TestContext } from "vitest";
import { seededRandom } from "../simulation/seededRandom.ts";
import { pathsIn } from "./changingFolder.ts";

const KILLS = Math.ceil(Number(process.env["KILLS"] ?? 3));
const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1e9));
const PROGRAM = join(import.meta.dirname, "publishingProcess.ts");
const SITE = "ab".repeat(32);
const FILES = 400;
const WHOLE = [".docs-hosting", SITE, `${SITE}.json`, "current"];

const random = seededRandom(SEED);
const shares = Array.from({ length: KILLS }, () => ({ percent: Math.floor(random() * 105) }));
const seen = { nothing: 0, draft: 0, site: 0 };

function newFolder({ onTestFinished }: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "published-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * @param begin this number of processes must be ready before one publishes
 * @returns its exit code, and its output
 */
async function publish(
  folder: string,
  killAt?: () => boolean,
  begin = new Barrier(1),
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [PROGRAM, folder, String(FILES)], {
    stdio: "pipe",
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (part: Buffer) => (output += part.toString()));
  }
  child.stdin.on("error", () => undefined); // it was killed
  const closed = once(child, "close");
  void once(child.stdout, "data").then(() => begin.arrive(() => child.stdin.write("\n")));
  while (killAt && child.exitCode === null && !killAt()) await delay(1);
  if (killAt) child.kill("SIGKILL");
  await closed;
  return { code: child.exitCode, output };
}

class Barrier {
  readonly #count: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#count = count;
  }

  arrive(begin: () => void): void {
    this.#waiting.push(begin);
    if (this.#waiting.length === this.#count) for (const each of this.#waiting) each();
  }
}

const filesIn = (folder: string): number => pathsIn(folder).length;

test("simultaneous processes that publish the same site in one folder all succeed, and leave nothing else there", async (context) => {
  const folder = newFolder(context);
  const begin = new Barrier(6);
  const ended = await Promise.all([1, 2, 3, 4, 5, 6].map(() => publish(folder, undefined, begin)));
  expect(ended).toEqual(Array(6).fill({ code: 0, output: "ready\ndone\n" }));
  expect(readdirSync(folder).sort()).toEqual(WHOLE);
  expect(filesIn(join(folder, SITE))).toBe(FILES + 20);
});

test.concurrent.for(shares)(
  "a run that is killed when $percent% are written leaves no part of a site under its name, and the next one removes its draft",
  async ({ percent }, context) => {
    const folder = newFolder(context);
    await publish(folder, () => filesIn(folder) >= (percent / 100) * (FILES + 23));
    const names = readdirSync(folder).filter((name) => !name.startsWith("."));
    if (names.includes(SITE)) expect(filesIn(join(folder, SITE))).toBe(FILES + 20);
    seen[names.includes(SITE) ? "site" : readdirSync(folder).length > 0 ? "draft" : "nothing"]++;
    expect(await publish(folder)).toEqual({ code: 0, output: "ready\ndone\n" });
    expect(readdirSync(folder).sort()).toEqual(WHOLE);
  },
);

afterAll(() => {
  console.log(
    `SEED=${SEED}: ${KILLS} kills of sites in folders: ${seen.nothing} before anything was written, ${seen.draft} of a draft, ${seen.site} after the site`,
  );
});
