import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Part, type PartNote } from "../../../../provider/copies/download/part.ts";
import { Receiver } from "../../../../provider/copies/download/receiver.ts";
import type { ReceivedRange } from "../../../../provider/copies/download/storeAnswer.ts";
import { Interruption, type HttpReply } from "../../../../provider/http/attempt.ts";
import { WORTH_BYTES } from "../../../../provider/http/retries.ts";
import { DownloadError } from "../../../../provider/runtime/messages/errors.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";

/** Pieces of an answer's body; a number is a pause before the next one, in milliseconds. */
type Arrival = number | Uint8Array;

const bytes = (count: number): Uint8Array => Uint8Array.from({ length: count }, (_, at) => at);

/** A part in memory: how many bytes it had whenever they were written. */
class MemoryPart {
  readonly subject = "job a";
  size = 0;
  note: PartNote | undefined;
  isUseless = false;
  readonly begun: (PartNote | undefined)[] = [];
  readonly writtenAt: number[] = [];
  begin(note: PartNote | undefined): Promise<void> {
    this.begun.push(note);
    this.size = 0;
    return Promise.resolve();
  }
  append({ length }: Uint8Array): Promise<void> {
    this.size += length;
    return Promise.resolve();
  }
  write(): void {
    this.writtenAt.push(this.size);
  }
}

function receiving({ limitBytes = 1_000_000, size = 0 } = {}) {
  const clock = new VirtualClock();
  clock.advance(5_000); // a process does not begin with a download
  const reporter = recordingReporter();
  const part = Object.assign(new MemoryPart(), { size });
  const counts: number[] = [];
  const receiver = new Receiver(part as unknown as Part, limitBytes, { clock, reporter }, (count) => {
    counts.push(count);
  });
  const receive = (
    range: Partial<ReceivedRange>,
    arrivals: readonly Arrival[],
    promisedBytes?: number,
  ): Promise<string> => {
    // eslint-disable-next-line @typescript-eslint/require-await -- as answers are read
    const content = async function* (): AsyncIterable<Uint8Array> {
      for (const each of arrivals) {
        if (typeof each === "number") clock.advance(each);
        else yield each;
      }
    };
    const answer: ReceivedRange = { kind: "bytes", from: size, endIsUnknown: false, ...range };
    return receiver.receive(answer, { content } as HttpReply, "store.test", promisedBytes);
  };
  return { receive, part, counts, lines: reporter.lines.progress };
}

test("the memory of processed bytes is freed, but not of bytes that share it with others", async () => {
  const folder = mkdtempSync(join(tmpdir(), "receiver-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const alone = Uint8Array.from(Buffer.from("alone, "));
  const shared = new Uint8Array(Buffer.from("--together--").buffer.slice(0)).subarray(2, 10);
  shared.set(Buffer.from("together"));
  const part = Part.claim(folder, "a", "job a", Date.now());
  await part.open();
  const context = { clock: new VirtualClock(), reporter: recordingReporter() };
  const receiver = new Receiver(part, 1_000, context, () => undefined);
  // eslint-disable-next-line @typescript-eslint/require-await -- as answers are read
  const content = async function* (): AsyncIterable<Uint8Array> {
    yield* [alone, shared];
  };
  const took = await receiver.receive(
    { kind: "bytes", from: 0, totalBytes: 15, endIsUnknown: false },
    { content } as HttpReply,
    "store.test",
    undefined,
  );
  await part.finish();
  await part.close();
  expect(took).toBe("complete");
  expect(readFileSync(part.path, "utf8")).toBe("alone, together");
  expect(alone).toHaveLength(0);
  expect(Buffer.from(shared).toString()).toBe("together");
});

test("progress has the rate since the first byte, and at most four lines a second", async () => {
  const { receive, counts, lines } = receiving();
  const arrivals = [3_000, bytes(100), 249, bytes(100), 1, bytes(100), 200, bytes(100), 50, bytes(100)];
  await expect(receive({ totalBytes: 1_000 }, arrivals)).rejects.toThrow(Interruption);
  expect(lines).toEqual([
    "10% · 100 B of 1.0 kB · downloading",
    "30% · 300 B of 1.0 kB · 1.2 kB/s · ~1s · downloading",
    "50% · 500 B of 1.0 kB · 1.0 kB/s · ~1s · downloading",
  ]);
  expect(counts).toEqual([100, 100, 100, 100, 100]);
});

test("the bytes of an earlier run count as progress, but not for the rate", async () => {
  const { receive, part, lines } = receiving({ size: 500 });
  const arrivals = [bytes(100), 1_000, bytes(100)];
  await expect(receive({ from: 500, totalBytes: 1_000 }, arrivals)).rejects.toThrow(Interruption);
  expect(lines.at(-1)).toBe("70% · 700 B of 1.0 kB · 200 B/s · ~2s · downloading");
  expect(part.begun).toEqual([]);
});

test("without a size in the answer the service's is shown", async () => {
  const { receive, lines } = receiving();
  await receive({}, [bytes(50)], 100);
  expect(lines).toEqual(["50% · 50 B of 100 B · downloading"]);
});

test("received bytes are written every 50 ms, so that a kill loses few", async () => {
  const { receive, part } = receiving();
  await receive({}, [bytes(1), 49, bytes(1), 1, bytes(1), 49, bytes(1), bytes(1), 70, bytes(1)]);
  expect(part.writtenAt).toEqual([1, 3, 6]);
});

test("a bundle from its start has a note only with an ETag", async () => {
  const { receive, part } = receiving();
  await receive({ etag: '"1"', totalBytes: 3 }, [bytes(3)]);
  await receive({ totalBytes: 3 }, [bytes(3)]);
  expect(part.begun).toEqual([{ subject: "job a", etag: '"1"', totalBytes: 3 }, undefined]);
});

test.each<[string, Partial<ReceivedRange>, number, number | undefined, string]>([
  ["all that it has", { totalBytes: 10, until: 10 }, 10, undefined, "complete"],
  ["all of unknown length, in chunks", {}, 10, undefined, "complete"],
  ["all that the service promised, until the connection ends", { endIsUnknown: true }, 10, 10, "complete"],
  ["a range that is worth it", { totalBytes: 1e6, until: WORTH_BYTES }, WORTH_BYTES, undefined, "incomplete"],
])("an answer with %s is read to its end", async (_what, range, count, promised, expected) => {
  const { receive, part } = receiving();
  expect(await receive(range, [bytes(count)], promised)).toBe(expected);
  expect([part.size, part.isUseless]).toEqual([count, false]);
});

test.each<[string, Partial<ReceivedRange>, number, number | undefined, string]>([
  ["is cut", { totalBytes: 10, until: 10 }, 9, undefined, "ECONNRESET"],
  ["is cut in its range", { totalBytes: 1e6, until: WORTH_BYTES + 1 }, WORTH_BYTES, undefined, "ECONNRESET"],
  ["ends before the promised size", { endIsUnknown: true }, 9, 10, "ECONNRESET"],
  [
    "is a tiny range",
    { totalBytes: 1e6, until: WORTH_BYTES - 1 },
    WORTH_BYTES - 1,
    undefined,
    "too few bytes",
  ],
])("an answer that %s is an interruption", async (_what, range, count, promised, code) => {
  const { receive, part } = receiving();
  const error = await receive(range, [bytes(count)], promised).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Interruption);
  expect((error as Error).cause).toEqual({ code });
  expect(part.isUseless).toBe(false);
});

test("the worth of a range counts from its start", async () => {
  const { receive } = receiving({ size: WORTH_BYTES });
  const range = { totalBytes: 1e6, until: WORTH_BYTES + 1 };
  await expect(receive(range, [bytes(1)])).rejects.toThrow(Interruption);
});

test.each<[string, Partial<ReceivedRange>, number, number | undefined, string]>([
  ["than promised", {}, 20, 10, "sends more than the 10 B that the service promised"],
  ["than allowed", {}, 10, undefined, "sends more than the limit of 10 B"],
  ["than its range has", { until: 10, totalBytes: 15 }, 20, 15, "sends more than it promised"],
])("one byte more %s ends the download", async (_what, range, limitBytes, promised, what) => {
  const { receive, part } = receiving({ limitBytes });
  const error = await receive(range, [bytes(10), bytes(1)], promised).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DownloadError);
  expect(error).toMatchObject({
    message: `the store store.test ${what}`,
    remedy: expect.stringContaining("limits.archiveBytes") as string,
  });
  expect([part.size, part.isUseless]).toEqual([10, true]);
});

test.each<[string, Partial<ReceivedRange>, number | undefined, string]>([
  ["more than promised", { totalBytes: 11 }, 10, "more than the 10 B that the service promised"],
  ["more than allowed", { totalBytes: 21 }, undefined, "more than the limit of 20 B"],
])("a size of %s is refused before a byte is read", async (_what, range, promised, message) => {
  const { receive, part, counts } = receiving({ limitBytes: 20 });
  await expect(receive(range, [bytes(5)], promised)).rejects.toThrow(message);
  expect([part.begun, counts, part.isUseless]).toEqual([[], [], true]);
});

test("a bundle whose end nobody would notice is refused, and the part stays", async () => {
  const { receive, part, counts } = receiving();
  const error = await receive({ endIsUnknown: true }, [bytes(5)]).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    name: "DownloadError",
    message: expect.stringContaining("does not send the length of the bundle") as string,
    remedy: "Have the store send a Content-Length.",
  });
  expect([part.begun, counts, part.isUseless]).toEqual([[], [], false]);
});
