import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { SingleNode } from "./singleNode.ts";

/**
 * Lets the tests, which are other processes, restart the node, by `POST` to the address that it returns, and give it an image, by
 * `POST` of the path of a file to `images` there. It is answered when that is done.
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
