// The program of a thread that reads pages. The build makes one file of it.
import { parentPort } from "node:worker_threads";
import type { Answer } from "../../base/runtime/files/thread";
import { readMarkdown } from "../llmsTxt/readMarkdown";
import { readPage } from "../offlineSearch/readPage";
import type { PageRead, PageTask } from "./pageReaders";

parentPort?.on("message", (task: PageTask) => {
  const answer = answerTo(task);
  parentPort?.postMessage(answer, answer.ok ? [answer.page.sections.buffer as ArrayBuffer] : []);
});

function answerTo({ bytes, isMarkdownWanted }: PageTask): Answer<PageRead> {
  try {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return { ok: true, ...(isMarkdownWanted ? readMarkdown(buffer) : { page: readPage(buffer) }) };
  } catch (error) {
    return { ok: false, code: undefined, message: String(error) };
  }
}
