// Calls the callbacks that the program serves for hooks.
import type { CallbacksClient } from "@pulumi/pulumi/proto/callback_grpc_pb.js";
import type { Callback } from "@pulumi/pulumi/proto/callback_pb.js";
import { callbackProto, callbackService, grpc, messageLimits } from "./wire.ts";

export class Callbacks {
  #clients = new Map<string, CallbacksClient>();

  /** @returns a function that calls back, with a request and an answer in bytes */
  open(callback: Callback | undefined): (request: Uint8Array) => Promise<Uint8Array> {
    if (!callback) throw new Error("a callback is missing");
    const client = this.#connect(callback.getTarget());
    return async (bytes) => {
      const request = new callbackProto.CallbackInvokeRequest();
      request.setToken(callback.getToken());
      request.setRequest(bytes);
      return new Promise((resolve, reject) => {
        client.invoke(request, (error, response) => {
          if (error) reject(new Error(error.details || error.message));
          else resolve(response.getResponse_asU8());
        });
      });
    };
  }

  close(): void {
    for (const client of this.#clients.values()) client.close();
    this.#clients.clear();
  }

  #connect(target: string): CallbacksClient {
    const known = this.#clients.get(target);
    if (known) return known;
    const Client = callbackService.CallbacksClient;
    const client = new Client(target, grpc.credentials.createInsecure(), messageLimits);
    this.#clients.set(target, client);
    return client;
  }
}
