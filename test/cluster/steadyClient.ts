import { get } from "node:http";
import { repeatedly } from "./repeatedly.ts";

const PAUSE_MS = 10;

/** Somebody who asks for a page all the time, on a new connection each time. */
export interface SteadyClient {
  /** Stops, and tells how often each answer came: a status and the edition that the page names, or the error's code. */
  stop(): Promise<Record<string, number>>;
}

export function startSteadyClient(url: string): SteadyClient {
  const answers: Record<string, number> = {};
  const stop = repeatedly(async () => {
    const answer = await ask(url);
    answers[answer] = (answers[answer] ?? 0) + 1;
  }, PAUSE_MS);
  return {
    stop: async () => {
      await stop();
      return answers;
    },
  };
}

/** Reads the whole answer: a body that is cut off is a failed request as well. */
function ask(url: string): Promise<string> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => {
      response.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      let body = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      response.on("end", () =>
        resolve(`${String(response.statusCode)} ${/The \w+ edition\./.exec(body)?.[0]}`),
      );
    });
    request.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    request.setTimeout(5_000, () => request.destroy(new Error("no answer in 5 s")));
  });
}
