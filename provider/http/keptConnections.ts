import type { Clock } from "../runtime/time/clock";
import { AttemptConnection, type ConnectionOptions } from "./attemptConnection";

/**
 * Connections to one server that stay open between requests: for many small requests that may all be repeated. An answer that was
 * not read to its end closes its connection.
 */
export class KeptConnections {
  readonly #open: () => AttemptConnection;
  #idle: AttemptConnection[] = [];
  #isClosed = false;

  constructor(url: string, clock: Clock, options: ConnectionOptions = {}) {
    this.#open = () => new AttemptConnection(url, clock, { ...options, keepAlive: true });
  }

  take(): AttemptConnection {
    return this.#idle.pop() ?? this.#open();
  }

  /** @param isReusable whether the answer was read to its end */
  give(connection: AttemptConnection, isReusable: boolean): void {
    if (isReusable && !this.#isClosed) this.#idle.push(connection);
    else connection.close();
  }

  close(): void {
    this.#isClosed = true;
    for (const connection of this.#idle) connection.close();
    this.#idle = [];
  }
}
