import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { SingleNode } from "./singleNode.ts";

/** Lets the tests, which are other processes, restart the node: `POST` to the address that it returns, answered when it is ready. */
export async function offerControl(node: SingleNode): Promise<string> {
  const server = createServer((_, response) => {
    node.restart().then(
      () => response.end(),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
