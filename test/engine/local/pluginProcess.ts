// The process of a plugin: a file of Node.js that prints the port of its gRPC server as its first line. The real
// dynamic-provider process of @pulumi/pulumi is one, too (plugin.go and provider_plugin.go).
import { dirname } from "node:path";
import type { ServiceError } from "@grpc/grpc-js";
import type { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import { type Child, type ChildOptions, startNode } from "./childProcess.ts";
import { ProviderError } from "./provider.ts";
import { grpc, messageLimits, providerProto, providerService } from "./wire.ts";

/** What plugin and engine can do. */
export interface Protocol {
  /** Secrets go to it marked as such; else in plain text, and what it returns is marked again. */
  acceptSecrets: boolean;
  supportsPreview: boolean;
}

export interface PluginProcess {
  child: Child;
  client: ResourceProviderClient;
  /** As agreed by Handshake; a plugin without one reports it in its answer to Configure. */
  protocol: Protocol | undefined;
}

/** @throws {ProviderError} it ended before it served, or refuses this engine */
export async function startPlugin(
  file: string,
  engineAddress: string,
  options: ChildOptions,
  onStart: (child: Child) => void,
): Promise<PluginProcess> {
  let announce: (port: string) => void;
  const port = new Promise<string>((found) => (announce = found));
  let announced = false;
  const child = startNode(file, [engineAddress], {
    ...options,
    onLine: (line, stream) => {
      if (announced || stream === "stderr") return options.onLine(line, stream);
      announced = true;
      announce(line);
    },
  });
  onStart(child);
  const gone = child.exited.then(({ code, signal }) => {
    throw new ProviderError(`the provider exited with ${code ?? signal ?? "no code"}`);
  });
  gone.catch(() => undefined); // after the start, its calls report the end
  const address = `127.0.0.1:${await Promise.race([port, gone])}`;
  const Client = providerService.ResourceProviderClient;
  const client = new Client(address, grpc.credentials.createInsecure(), messageLimits);
  return { child, client, protocol: await shakeHands(client, file, engineAddress) };
}

function shakeHands(
  client: ResourceProviderClient,
  file: string,
  engineAddress: string,
): Promise<Protocol | undefined> {
  const request = new providerProto.ProviderHandshakeRequest();
  request.setEngineAddress(engineAddress);
  request.setRootDirectory(dirname(file));
  request.setProgramDirectory(dirname(file));
  request.setConfigureWithUrn(true);
  request.setSupportsViews(true);
  request.setSupportsRefreshBeforeUpdate(true);
  request.setInvokeWithPreview(true);
  return new Promise((resolve, reject) => {
    client.handshake(request, (error: ServiceError | null, answer) => {
      if (error?.code === grpc.status.UNIMPLEMENTED) resolve(undefined);
      else if (error) reject(new ProviderError(`failed to handshake with '${file}': ${error.details}`));
      else resolve({ acceptSecrets: answer.getAcceptSecrets(), supportsPreview: true });
    });
  });
}
