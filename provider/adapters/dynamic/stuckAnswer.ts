import { writeSync } from "node:fs";

/** Answers that were given in this turn of the event loop: the host is sending them. */
let leaving = 0;
let watching = false;

/**
 * Makes sure that the answer which is about to be given ends its call. Pulumi's host sends it from an async function, so that
 * whatever throws there (gRPC's `encodeURI` does for half a character) is a rejection that the host prints and forgets:
 * the call is never answered, and the engine waits for ever. Then this process ends instead, and with it all of its calls;
 * the jobs that it waited for are found again by their resume records.
 */
export function answerLeaves(): void {
  if (!watching) {
    watching = true;
    process.on("unhandledRejection", (reason) => {
      if (leaving > 0) endProcess(reason);
    });
  }
  leaving++;
  // rejections are told before this
  setImmediate(() => leaving--);
}

function endProcess(reason: unknown): never {
  const kind = reason instanceof Error ? reason.name : typeof reason;
  writeSync(
    2,
    `pulumi-docs-hosting: an answer could not be sent (${kind}), so this run ends. ` +
      "Started jobs go on at the service, and the next `pulumi up` continues them. Please report it.\n",
  );
  process.exit(1);
}
