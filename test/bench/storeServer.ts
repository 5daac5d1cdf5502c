/**
 * Process of a bench: serves as many bytes as its argument says, the same everywhere, with ranges and an ETag, as a store does.
 * Sends its address to its parent. On `{ cuts }` it cuts that number of following downloads, each after an equal share. On
 * `"sent"` it answers how many bytes of the bundle it has sent since the last such message.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const total = Number(process.argv[2]);
const block = Buffer.alloc(4 * 1024 * 1024);
for (let at = 0; at < block.length; at += 4) block.writeUInt32LE(Math.imul(at, 2_654_435_761) >>> 0, at);

let cuts = 0;
let share = Infinity;
let sent = 0;

const server = createServer((request, response) => {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
  response.writeHead(from > 0 ? 206 : 200, {
    etag: '"bench"',
    "content-length": total - from,
    ...(from > 0 && { "content-range": `bytes ${from}-${total - 1}/${total}` }),
  });
  const end = cuts-- > 0 ? Math.min(total, from + share) : total;
  let at = from;
  const send = (): void => {
    while (at < end) {
      const begin = at % block.length;
      const piece = block.subarray(begin, Math.min(block.length, begin + end - at));
      at += piece.length;
      if (!response.write(piece)) return void response.once("drain", send);
    }
    if (end === total) response.end();
    else response.socket?.end();
  };
  const { socket } = response;
  const before = socket?.bytesWritten ?? 0;
  socket?.once("close", () => (sent += socket.bytesWritten - before));
  send();
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("message", (message: { cuts: number } | "sent") => {
  if (message === "sent") {
    process.send?.(sent);
    sent = 0;
  } else {
    cuts = message.cuts;
    share = Math.ceil(total / (cuts + 1));
  }
});
process.on("disconnect", () => process.exit());
