import { writeSync } from "node:fs";

/** Number of replies returned in this turn of the event loop: the host is sending them. */
let sending = 0;
let watching = false;

/**
 * Ensures that the next reply ends its call. Pulumi's host sends the reply from an async function. An error there (gRPC's
 * `encodeURI` throws on half a character) is a rejection that the host only prints: the call gets no reply, and the engine
 * waits forever. In that case this function ends the process and all of its calls. The next run finds the jobs by their
 * resume records.
 */
export function exitIfReplyIsNotSent(): void {
  if (!watching) {
    watching = true;
    process.on("unhandledRejection", (reason) => {
      if (sending > 0) endProcess(reason);
    });
  }
  sending++;
  // `unhandledRejection` is emitted before this
  setImmediate(() => sending--);
}

function endProcess(reason: unknown): never {
  const kind = reason instanceof Error ? reason.name : typeof reason;
  writeSync(
    2,
    `pulumi-docs-hosting: an answer could not be sent (${kind}), so this run ends. ` +
      "Started jobs keep running at the service, and the next `pulumi up` continues them. Please report it.\n",
  );
  process.exit(1);
}
