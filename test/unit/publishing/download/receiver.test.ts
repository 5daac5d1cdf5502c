import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type HttpReply, Interruption } from "../../../../provider/base/http/attempt.ts";
import {
  type DownloadNote,
  PartialDownload,
} from "../../../../provider/publishing/download/partialDownload.ts";
import { receiverOf } from "../../../../provider/publishing/download/receiver.ts";
import type { ReceivedRange } from "../../../../provider/publishing/download/storeReply.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";

/** Pieces of an answer's body; a number is a pause before the next one, in milliseconds. */
type Arrival = number | Uint8Array;

const bytes = (count: number): Uint8Array => Uint8Array.from({ length: count }, (_, at) => at);

/** A partial download in memory: how many bytes it had whenever they were written. */
class MemoryDownload {
  readonly subject = "job a";
  size = 0;
  note: DownloadNote | undefined;
  isUseless = false;
  readonly begun: (DownloadNote | undefined)[] = [];
  readonly writtenAt: number[] = [];
  begin(note: DownloadNote | undefined): Promise<void> {
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
  const partial = Object.assign(new MemoryDownload(), { size });
  const counts: number[] = [];
  const receiveFrom = receiverOf(
    partial as unknown as PartialDownload,
    limitBytes,
    { clock, reporter },
    (count) => {
      counts.push(count);
    },
  );
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
    return receiveFrom(answer, { content } as HttpReply, "store.test", promisedBytes);
  };
  return { receive, partial, counts, lines: reporter.lines.progress };
}

test("the memory of processed bytes is freed, but not of bytes that share it with others", async () => {
  const folder = mkdtempSync(join(tmpdir(), "receiver-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const alone = Uint8Array.from(Buffer.from("alone, "));
  const shared = new Uint8Array(Buffer.from("--together--").buffer.slice(0)).subarray(2, 10);
  shared.set(Buffer.from("together"));
  const partial = PartialDownload.claim(folder, "a", "job a", Date.now());
  await partial.open();
  const context = { clock: new VirtualClock(), reporter: recordingReporter() };
  const receive = receiverOf(partial, 1_000, context, () => undefined);
  // eslint-disable-next-line @typescript-eslint/require-await -- as answers are read
  const content = async function* (): AsyncIterable<Uint8Array> {
    yield* [alone, shared];
  };
  const took = await receive(
    { kind: "bytes", from: 0, totalBytes: 15, endIsUnknown: false },
    { content } as HttpReply,
    "store.test",
    undefined,
  );
  await partial.finish();
  await partial.close();
  expect(took).toBe("complete");
  expect(readFileSync(partial.path, "utf8")).toBe("alone, together");
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
  const { receive, partial, lines } = receiving({ size: 500 });
  const arrivals = [bytes(100), 1_000, bytes(100)];
  await expect(receive({ from: 500, totalBytes: 1_000 }, arrivals)).rejects.toThrow(Interruption);
  expect(lines.at(-1)).toBe("70% · 700 B of 1.0 kB · 200 B/s · ~2s · downloading");
  expect(partial.begun).toEqual([]);
});

test("without a size in the answer the service's is shown", async () => {
  const { receive, lines } = receiving();
  await receive({}, [bytes(50)], 100);
  expect(lines).toEqual(["50% · 50 B of 100 B · downloading"]);
});

test("received bytes are written every 50 ms, so that a kill loses few", async () => {
  const { receive, partial } = receiving();
  await receive({}, [bytes(1), 49, bytes(1), 1, bytes(1), 49, bytes(1), bytes(1), 70, bytes(1)]);
  expect(partial.writtenAt).toEqual([1, 3, 6]);
});

test("a bundle from its start has a note only with an ETag", async () => {
  const { receive, partial } = receiving();
  await receive({ etag: '"1"', totalBytes: 3 }, [bytes(3)]);
  await receive({ totalBytes: 3 }, [bytes(3)]);
  expect(partial.begun).toEqual([{ subject: "job a", etag: '"1"', totalBytes: 3 }, undefined]);
});
