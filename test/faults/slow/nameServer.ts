import { createSocket } from "node:dgram";
import { onTestFinished } from "vitest";

/** The DNS reply for a name: addresses, that it does not exist, that the server has failed, or none. */
export type Names = readonly string[] | "no such name" | "failure" | "silence";

const CODES = { "no such name": 3, failure: 2, silence: 0 };
const TYPE_A = 1;
const TYPE_AAAA = 28;

/** The DNS server of this network, on 127.0.0.1 until the test ends. @returns the number of its queries */
export async function nameServer(answer: (question: number) => Names): Promise<() => number> {
  let questions = 0;
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const names = answer(++questions);
    if (names !== "silence") socket.send(replyTo(query, names), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(53, "127.0.0.1", resolve));
  onTestFinished(() => void socket.close());
  return () => questions;
}

/** See RFC 1035 §4: the question again, and one record for each address of the requested type. */
function replyTo(query: Buffer, names: Exclude<Names, "silence">): Buffer {
  let end = 12;
  while (query[end]) end += (query[end] ?? 0) + 1;
  const type = query.readUInt16BE(end + 1);
  const addresses = (typeof names === "string" ? [] : names).map(bytesOf);
  const records = addresses
    .filter(({ length }) => (type === TYPE_A && length === 4) || (type === TYPE_AAAA && length === 16))
    .map((address) =>
      Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, address.length]), address]),
    );
  const code = typeof names === "string" ? CODES[names] : 0;
  const head = Buffer.from([
    query[0] ?? 0,
    query[1] ?? 0,
    0x85,
    0x80 | code,
    0,
    1,
    0,
    records.length,
    0,
    0,
    0,
    0,
  ]);
  return Buffer.concat([head, query.subarray(12, end + 5), ...records]);
}

/** An IPv4 address, or `::1`, in wire form. */
function bytesOf(address: string): Buffer {
  return address === "::1"
    ? Buffer.from([...Array<number>(15).fill(0), 1])
    : Buffer.from(address.split(".").map(Number));
}
