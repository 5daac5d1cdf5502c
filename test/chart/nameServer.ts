import { createSocket } from "node:dgram";
import type { TestContext } from "vitest";

const [TYPE_A, NAME_UNKNOWN] = [1, 3];

/**
 * A name server on the loopback that knows addresses of one name, as a cluster's knows a Service's pods.
 *
 * @returns its port
 */
export async function startNameServer(
  context: Pick<TestContext, "onTestFinished">,
  name: string,
  addresses: readonly string[],
): Promise<number> {
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const end = query.indexOf(0, 12) + 5; // the question: a name, its type and class
    const labels: string[] = [];
    for (let at = 12; query[at]; at += (query[at] ?? 0) + 1) {
      labels.push(query.subarray(at + 1, at + 1 + (query[at] ?? 0)).toString());
    }
    const isKnown = labels.join(".") === name;
    const found = isKnown && query.readUInt16BE(end - 4) === TYPE_A ? addresses : [];
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | (isKnown ? 0 : NAME_UNKNOWN), 2);
    header.writeUInt16BE(found.length, 6);
    header.writeUInt32BE(0, 8);
    const answers = found.map((ip) =>
      Buffer.from([0xc0, 12, 0, TYPE_A, 0, 1, 0, 0, 0, 5, 0, 4, ...ip.split(".").map(Number)]),
    );
    socket.send(Buffer.concat([header, query.subarray(12, end), ...answers]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  context.onTestFinished(() => void socket.close());
  return socket.address().port;
}
