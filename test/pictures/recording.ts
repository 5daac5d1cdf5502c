import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { startReferenceService } from "../../examples/reference-service/index.ts";
import { writeManual } from "../bench/generatedManual.ts";
import { availableEngines, openStack } from "../engine/index.ts";
import type { Recording, TerminalLine } from "./terminal.ts";

const PROGRAM = join(import.meta.dirname, "../../examples/quickstart/index.ts");
const PAGES = 42;
const KEY = "svc_recording";
const DOMAIN = "docs.example.com";
const DURATION = 20;
const COLUMNS = 100;
/** Each poll finds the job further. A real job takes minutes, and shows the same lines. */
const PROGRESS = [12, 45, 81];

/**
 * Runs `pulumi up` twice, the second time without a change. The text is what the program, the provider and the engine print, on
 * the Pulumi CLI if there is one. Ids and times differ between runs, so they are replaced by constant ones.
 */
export async function recordUp(): Promise<Recording> {
  const folder = await mkdtemp(join(tmpdir(), "recording-"));
  const source = join(folder, "source");
  await writeManual(source, PAGES);
  const service = await startReferenceService({
    sites: { [DOMAIN]: source },
    adminApiKey: KEY,
    jobDurationMs: 0,
  });
  try {
    slowDown(service);
    const { kinds } = availableEngines();
    const stack = await openStack(kinds.includes("cli") ? "cli" : "local", {
      program: PROGRAM,
      project: "docs",
      stack: "prod",
      stateFolder: join(folder, "state"),
      passphrase: "recording",
      env: { DOCS_HOSTING_BASE_URL: service.url, DOCS_HOSTING_ADMIN_API_KEY: KEY },
    });
    const up = async (): Promise<string[]> => {
      const texts: string[] = [];
      const { ok } = await stack.up({ onText: (text) => texts.push(text) });
      if (!ok) throw new Error(`pulumi up failed:\n${texts.join("")}`);
      return constant(texts.join(""));
    };
    return paced(await up(), await up());
  } finally {
    await service.close();
    await rm(folder, { recursive: true });
  }
}

/** The job advances by polls, not by time: the lines are the same on every machine. */
function slowDown(service: Awaited<ReturnType<typeof startReferenceService>>): void {
  let polls = 0;
  let isRendered = false;
  service.intercept(async ({ method, path, jobId }) => {
    if (method !== "GET" || jobId === undefined || !path.includes("export") || isRendered) return undefined;
    await setTimeout(1_200); // the row changes at most once a second: a change in between would be lost
    const progress = PROGRESS[polls++];
    if (progress === undefined) {
      isRendered = true; // the request that follows is the service's own
      await untilRendered(`${service.url}${path}`);
      return undefined;
    }
    const now = new Date().toISOString();
    const pageCount = Math.round((progress / 100) * PAGES);
    return {
      body: { jobId, domain: DOMAIN, status: "running", progress, pageCount, createdAt: now, updatedAt: now },
    };
  });
}

/** The last poll is answered when the job is completed. */
async function untilRendered(url: string): Promise<void> {
  for (;;) {
    const reply = await fetch(url, { headers: { authorization: `Bearer ${KEY}` } });
    const { status } = (await reply.json()) as { status?: string };
    if (status !== "queued" && status !== "running") return;
    await setTimeout(50);
  }
}

/** Without what differs between two runs: ids, times, the dots of a row, and the order of lines that were sent at the same time. */
function constant(text: string): string[] {
  const lines = stripVTControlCharacters(text)
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "7f3a91c2")
    .replace(/(expiresAt *: )"[^"]*"/g, '$1"2026-11-26T08:00:00Z"')
    .replace(/(renewAfter *: )"[^"]*"/g, '$1"2026-11-26T00:00:00Z"')
    .replace(/ \(\d+(?:\.\d+)?m?s\)| · ~\d+s/g, "")
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "" && line.trim() !== "docs" && !line.includes("pulumi:pulumi:Stack"))
    .filter((line) => !/^@ | creating$|^Duration: /.test(line))
    .filter((line) => !/^ {4}\d+% · /.test(line)) // a line that stays: a wait of more than 10 s has it
    .filter((line, index, lines) => line !== lines[index - 1]) // the last progress is also printed for logs
    .map((line) => (line.length > COLUMNS ? `${line.slice(0, COLUMNS - 1)}…` : line));
  for (let end = lines.length; end > 1; end--) {
    for (let at = 1; at < end; at++) {
      const [one = "", other = ""] = lines.slice(at - 1, at + 1);
      if (isLater(one, other)) lines.splice(at - 1, 2, other, one);
    }
  }
  return lines;
}

/** Lines that the provider sends without waiting for the engine, in the order in which it sends them. */
const SENT_TOGETHER = [/ NEW: /, / starting the export$/, / export job \w+ started$/];

/** Whether the first of two such lines was sent after the second one. */
function isLater(one: string, other: string): boolean {
  const place = (line: string): number => SENT_TOGETHER.findIndex((pattern) => pattern.test(line));
  return place(other) !== -1 && place(one) > place(other);
}

/** The first run takes most of the time; both end with time to read. */
function paced(first: readonly string[], second: readonly string[]): Recording {
  const lines: TerminalLine[] = [{ text: "$ pulumi up --yes", at: 0 }];
  const beat = 9 / first.length;
  first.forEach((text, index) => lines.push({ text, at: round(1 + index * beat) }));
  lines.push({ text: "$ pulumi up --yes", at: 13 });
  const shorter = 1.5 / second.length;
  second.forEach((text, index) => lines.push({ text, at: round(14 + index * shorter) }));
  return { lines, duration: DURATION, columns: COLUMNS };
}

const round = (seconds: number): number => Math.round(seconds * 10) / 10;
