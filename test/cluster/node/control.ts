import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { SingleNode } from "./singleNode.ts";

/**
 * Lets the tests, which are other processes, control the node at the returned address: `POST` restarts it, and `POST` of a file's
 * path to `images` imports an image. The reply comes when that is done.
 */
export async function offerControl(node: SingleNode): Promise<string> {
  const server = createServer((request, response) => {
    const done =
      request.url === "/images" ? text(request).then((file) => node.importImage(file)) : node.restart();
    done.then(
      () => response.end(),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
