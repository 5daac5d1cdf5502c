import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { promisify } from "node:util";
import { Server, ServerCredentials, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { type Ends, isOtherUser } from "./peerUser";

/** Node.js publishes each new connection of a server on it, before anything of the connection is read. */
const NEW_CONNECTION = "net.server.socket";

/**
 * Serves a provider on the loopback address, at any free port, to processes of this user. The engine sends and takes messages of any
 * size.
 *
 * @param isRefused whether a connection is closed without a reply
 */
export async function serve(
  service: UntypedServiceImplementation,
  isRefused: (ends: Ends) => boolean = isOtherUser,
): Promise<{ readonly port: number; close(): void }> {
  const server = new Server({
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
  });
  server.addService(ResourceProviderService, service);
  let ownPort = 0;
  const refuse = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    const isOurs = ownPort === 0 || socket.localPort === ownPort;
    if (isOurs && isRefused(socket)) socket.destroy();
  };
  subscribe(NEW_CONNECTION, refuse);
  const bind = promisify(server.bindAsync.bind(server));
  const port = await bind("127.0.0.1:0", ServerCredentials.createInsecure());
  ownPort = port;
  const close = (): void => {
    unsubscribe(NEW_CONNECTION, refuse);
    server.forceShutdown();
  };
  return { port, close };
}
