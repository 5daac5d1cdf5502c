import { createServer, type AddressInfo, type Socket } from "node:net";
import { Server, ServerCredentials, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { isOtherUser, type Ends } from "./peerUser";

/**
 * Serves a provider on the loopback address, at any free port, to processes of this user. The engine sends and takes messages of any
 * size.
 *
 * @param isRefused whether a connection is closed without an answer
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
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const open = new Set<Socket>();
  const listener = createServer({ noDelay: true }, (socket) => {
    if (isRefused(socket)) {
      socket.destroy();
    } else {
      open.add(socket);
      socket.once("close", () => open.delete(socket));
      injector.injectConnection(socket);
    }
  });
  const port = await new Promise<number>((resolve, reject) => {
    listener.once("error", reject);
    listener.listen({ host: "127.0.0.1", port: 0 }, () => resolve((listener.address() as AddressInfo).port));
  });
  const close = (): void => {
    listener.close();
    server.forceShutdown();
    for (const socket of open) socket.destroy();
  };
  return { port, close };
}
