import { connect } from "node:net";

/** Delay before reconnecting to the engine after a lost connection, in milliseconds. */
const AGAIN_MS = 500;

/**
 * Calls back once when the engine has ended: a connection to it closes, and the next one is refused. This process and its
 * pending operations would otherwise continue to run. An address that never accepted a connection is not watched.
 *
 * @param address `host:port`
 */
export function watchEngineAt(address: string, onGone: () => void): void {
  const colon = address.lastIndexOf(":");
  const port = Number(address.slice(colon + 1));
  if (!(Number.isInteger(port) && port > 0 && port < 65_536)) return;
  let wasThere = false;
  // a process that now serves another engine continues: tests reuse processes
  const argument = process.argv.at(-1);
  const isStillOurs = (): boolean => process.argv.at(-1) === argument;
  const watch = (): void => {
    let reason: string | undefined;
    const connection = connect({ host: address.slice(0, Math.max(0, colon)) || "127.0.0.1", port }, () => {
      wasThere = true;
    });
    connection.unref();
    connection.on("error", ({ code }: NodeJS.ErrnoException) => (reason = code));
    connection.resume(); // otherwise `close` is not emitted
    connection.once("close", () => {
      if (!wasThere || !isStillOurs()) return;
      if (reason === "ECONNREFUSED") onGone();
      else setTimeout(watch, AGAIN_MS).unref();
    });
  };
  watch();
}
