import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Part } from "../../../provider/download/part.ts";
import { Receiver } from "../../../provider/download/receiver.ts";
import type { HttpReply } from "../../../provider/http/attempt.ts";
import { recordingReporter } from "../../simulation/recordingReporter.ts";
import { VirtualClock } from "../../simulation/virtualClock.ts";

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
