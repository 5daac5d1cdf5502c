import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { endianness } from "node:os";

/** Linux's lists of all TCP connections, with the user of each. */
const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];
const ROOT = 0;

/** The two ends of a connection, as this end sees them. */
export type Ends = Pick<Socket, "localAddress" | "localPort" | "remoteAddress" | "remotePort">;

/** What is asked about users and connections. */
export interface System {
  /** The user of this process; `undefined` on a system without numbered users. */
  readonly user: number | undefined;
  /** A file's text; `undefined` if it cannot be read. */
  readonly read: (file: string) => string | undefined;
}

const THIS_SYSTEM: System = {
  user: process.platform === "linux" ? process.getuid?.() : undefined,
  read: (file) => {
    try {
      return readFileSync(file, "latin1");
    } catch {
      return undefined;
    }
  },
};

/**
 * Whether the other end of a connection on this machine may be a process of another user, who could otherwise configure this process
 * with a base URL of their own and receive the key.
 *
 * Only Linux tells whose a connection is. A connection that it does not list any more counts as another user's, because the owner of
 * a closed one is unknown. If it does not even list this end, it lists none (a sandbox), and nobody is refused.
 */
export function isOtherUser(ends: Ends, { user, read }: System = THIS_SYSTEM): boolean {
  if (user === undefined) return false;
  const rows = TABLES.flatMap((table) => read(table)?.split("\n") ?? []).map((row) =>
    row.trim().split(/\s+/),
  );
  const own = namesOf(ends.localAddress, ends.localPort);
  const peer = namesOf(ends.remoteAddress, ends.remotePort);
  const find = (from: readonly string[], to: readonly string[]): string[] | undefined =>
    rows.find(([, local = "", remote = ""]) => from.includes(local) && to.includes(remote));
  if (find(own, peer) === undefined) return false;
  const [, , , , , , , owner, , inode] = find(peer, own) ?? [];
  // a closed connection has no inode, and seems to be root's
  return inode === undefined || inode === "0" || ![user, ROOT].includes(Number(owner));
}

/** How Linux writes an address and a port: the address in the machine's byte order, IPv4 in the second list within IPv6. */
function namesOf(address = "", port = 0): string[] {
  const hex = (bytes: number[]): string =>
    Buffer.from(endianness() === "LE" ? bytes.toReversed() : bytes)
      .toString("hex")
      .toUpperCase();
  const bytes = address.replace(/^::ffff:/, "").split(".");
  const end = `${hex(bytes.map(Number))}:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return [end, `${"0".repeat(16)}${hex([0, 0, 0xff, 0xff])}${end}`];
}
