import type { Socket } from "node:net";

/** More than the buffers of the machine, less than an endless reply. */
export const BUFFERED_BYTES = 64 * 1024 * 1024;

/** A reply that announces a body of 100 GB. */
export const hugeBody = (): ReturnType<typeof endless> =>
  endless(`HTTP/1.1 200 OK\r\ncontent-length: ${100 * 1024 ** 3}\r\n\r\n`, Buffer.alloc(64 * 1024, " "));

/** A reply without end: after its head the same bytes repeatedly, as fast as they are read. */
export function endless(
  head: string,
  chunk: Buffer,
): { answer: (socket: Socket) => void; sentBytes: () => number } {
  let sentBytes = 0;
  const answer = (socket: Socket): void => {
    const write = (): void => {
      while (!socket.destroyed && socket.write(chunk)) sentBytes += chunk.length;
    };
    socket.write(head);
    socket.on("drain", write);
    write();
  };
  return { answer, sentBytes: () => sentBytes };
}
