// The program of a thread that reads pages. The build makes one file of it.
import { parentPort } from "node:worker_threads";
import type { Answer } from "../../base/runtime/files/thread";
import { type MarkdownPage, readMarkdown } from "./readMarkdown";

parentPort?.on("message", (bytes: Uint8Array) => {
  parentPort?.postMessage(answerTo(bytes));
});

function answerTo(bytes: Uint8Array): Answer<MarkdownPage> {
  try {
    return { ok: true, ...readMarkdown(bytes) };
  } catch (error) {
    return { ok: false, code: undefined, message: String(error) };
  }
}
