import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { repeatedly } from "./repeatedly.ts";

const PAUSE_MS = 10;

/**
 * Requests a page continuously, on a new connection each time.
 *
 * @returns ends it, and returns how often each answer came: a status and the edition in the page, or the error's code
 */
export function startSteadyClient(url: string): () => Promise<Record<string, number>> {
  const answers: Record<string, number> = {};
  const stop = repeatedly(async () => {
    const answer = await ask(url);
    answers[answer] = (answers[answer] ?? 0) + 1;
  }, PAUSE_MS);
  return () => stop().then(() => answers);
}

/** Reads the whole answer: a body that is cut off is a failed request as well. */
async function ask(url: string): Promise<string> {
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(url, { agent: false, signal: AbortSignal.timeout(5_000) }, resolve).on("error", reject);
    });
    const page = await text(response);
    return `${String(response.statusCode)} ${/The [\w-]+ edition\./.exec(page)?.[0]}`;
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code ?? error);
  }
}
