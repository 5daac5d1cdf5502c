// The program of a thread that reads pages. The build makes one file of it.
import { parentPort } from "node:worker_threads";
import type { ThreadReply } from "../../base/runtime/files/thread";
import { readMarkdown } from "../llmsTxt/readMarkdown";
import { readPage } from "../sitePages/readPage";
import type { PageRead, PagesRead, PagesTask } from "./pageReaders";

parentPort?.on("message", ({ pages, isMarkdownWanted }: PagesTask) => {
  // nothing is transferred: what a thread has allocated would stay in its own part of the memory
  const reply: ThreadReply<PagesRead> = {
    ok: true,
    read: pages.map((bytes) => read(bytes, isMarkdownWanted)),
  };
  parentPort?.postMessage(reply);
});

function read(
  { buffer, byteOffset, byteLength }: Uint8Array,
  isMarkdownWanted: boolean,
): PageRead | undefined {
  try {
    const bytes = Buffer.from(buffer, byteOffset, byteLength);
    return isMarkdownWanted ? readMarkdown(bytes) : { page: readPage(bytes) };
  } catch {
    return undefined; // such as markup that is nested too deep
  }
}
