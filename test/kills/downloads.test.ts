// A process that downloads is killed (SIGKILL) at random instants, repeatedly; the last one, which is not killed, has the bundle.
// A few kills run in `npm test`, a hundred in `npm test -- kills`. SEED=… repeats a run.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, test, type TestContext } from "vitest";
import { seededRandom } from "../simulation/seededRandom.ts";

/** Kills of one download, before a process completes. */
const KILLS_EACH = 5;
/** A sample by default: twice as many as of creates. */
const COUNT = Math.ceil((2 * Number(process.env["KILLS"] ?? 2.5)) / KILLS_EACH);
const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1e9));
const PROGRAM = join(import.meta.dirname, "downloadingProcess.ts");

const SIZE = 4_000_000;
/** The store's bytes in one piece, and its pause after it, in milliseconds: 0.6 s in all. */
const PIECE = 100_000;
const REST_MS = 15;

/**
 * The most times that the bytes are sent in all: bytes in flight, and bytes that were not written yet, are sent again. On a busy
 * machine a process may be killed before it reads anything, while the system buffers all of it.
 */
const MOST_TIMES = 2;

const random = seededRandom(SEED);
const totals = { kills: 0, whileItCame: 0, sent: 0, ended: 0 };

/** The time of a kill: this long after the process started, or after it got this share of the requested bytes. */
type Instant = { readonly afterMs: number; readonly share?: number };

function randomInstant(): Instant {
  const place = random();
  if (place < 0.15) return { afterMs: random() * 300 };
  return place < 0.9
    ? { share: random(), afterMs: random() * REST_MS }
    : { share: 1, afterMs: random() * 20 };
}

const downloads = Array.from({ length: COUNT }, (_, index) => ({
  number: index + 1,
  instants: Array.from({ length: KILLS_EACH }, randomInstant),
}));

test.concurrent.for(downloads)(
  `D15 download $number of ${COUNT}, killed ${KILLS_EACH} times at random instants, has the right content in the end`,
  async ({ number, instants }, context) => {
    const folder = mkdtempSync(join(tmpdir(), "killed-download-"));
    context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const content = contentOf(number);
    const store = await slowStore(content, context);
    for (const instant of instants) await killed(store, folder, instant);

    const { status, answer } = await leftAlone(store, folder);
    expect(status).toBe(0);
    expect(answer.size).toBe(SIZE);
    expect(answer.sha256).toBe(createHash("sha256").update(content).digest("hex"));
    expect(readFileSync(answer.path).equals(content)).toBe(true);
    expect(readdirSync(folder)).toHaveLength(1);
    totals.sent += store.sent();
  },
);

afterAll(() => {
  const times = totals.sent / (COUNT * SIZE);
  console.log(
    `SEED=${SEED}: ${totals.kills} kills of downloads, ${totals.whileItCame} while bytes came, ` +
      `${totals.ended} came too late; ${times.toFixed(3)} times the bytes`,
  );
  if (totals.kills < 50) return; // too few for means
  expect(times).toBeLessThan(MOST_TIMES);
  expect(totals.whileItCame).toBeGreaterThanOrEqual(totals.kills / 3);
});

interface SlowStore {
  url: string;
  sent: () => number;
  /** Whether bytes are in flight. */
  isBusy: () => boolean;
  /** Resolves when this share of the next requested range was sent. */
  sentOfNext: (share: number) => Promise<void>;
}

function contentOf(number: number): Buffer {
  return Buffer.alloc(SIZE, createHash("sha512").update(`${SEED} ${number}`).digest());
}

/** A store with S3's behaviour, which sends one piece at a time. */
async function slowStore(content: Buffer, context: TestContext): Promise<SlowStore> {
  const etag = `"${createHash("sha256").update(content).digest("hex")}"`;
  let waiting: { share: number; wake: () => void }[] = [];
  let sent = 0;
  let busy = 0;
  const wakeAt = (share: number): void => {
    for (const waiter of waiting) if (waiter.share <= share) waiter.wake();
    waiting = waiting.filter((waiter) => waiter.share > share);
  };
  const send = async (response: ServerResponse, from: number): Promise<void> => {
    busy++;
    for (let at = from; at < content.length && !response.destroyed; at += PIECE) {
      const piece = content.subarray(at, at + PIECE);
      response.write(piece);
      sent += piece.length;
      wakeAt((at + piece.length - from) / (content.length - from));
      await delay(REST_MS);
    }
    busy--;
    response.end();
  };
  const server = createServer((request, response) => {
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
    if (from > 0 && request.headers["if-match"] !== etag) {
      response.writeHead(412).end();
    } else if (from >= content.length) {
      response.writeHead(416, { "content-range": `bytes */${content.length}` }).end();
    } else {
      const range = `bytes ${from}-${content.length - 1}/${content.length}`;
      response.writeHead(from > 0 ? 206 : 200, {
        etag,
        "content-length": content.length - from,
        ...(from > 0 && { "content-range": range }),
      });
      void send(response, from);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  context.onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/bundle`,
    sent: () => sent,
    isBusy: () => busy > 0,
    sentOfNext: (share) => new Promise((wake) => waiting.push({ share, wake })),
  };
}

async function killed(store: SlowStore, folder: string, { share, afterMs }: Instant): Promise<void> {
  const begins = share === undefined ? Promise.resolve() : store.sentOfNext(share);
  const child = spawn(process.execPath, [PROGRAM, store.url, folder], { stdio: "ignore" });
  const ends = once(child, "exit");
  await Promise.race([begins, ends]); // all may have arrived already, so that no byte is sent
  await Promise.race([delay(afterMs), ends]);
  totals.kills++;
  if (child.exitCode !== null) totals.ended++;
  if (store.isBusy()) totals.whileItCame++;
  child.kill("SIGKILL");
  await ends;
}

async function leftAlone(
  store: SlowStore,
  folder: string,
): Promise<{ status: number | null; answer: { path: string; sha256: string; size: number } }> {
  const child = spawn(process.execPath, [PROGRAM, store.url, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += String(chunk)));
  const [status] = (await once(child, "close")) as [number | null];
  return { status, answer: JSON.parse(text || "{}") as { path: string; sha256: string; size: number } };
}
