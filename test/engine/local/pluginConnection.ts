// The connection to a plugin: calls, their errors, and which values carry their marks.
import type { ServiceError } from "@grpc/grpc-js";
import type { Child } from "./childProcess.ts";
import { readPluginError } from "./pluginErrors.ts";
import type { PluginProcess, Protocol } from "./pluginProcess.ts";
import {
  containsUnknown,
  fromStruct,
  plainMap,
  type PropertyMap,
  remark,
  toStruct,
} from "./propertyValues.ts";
import { ProviderError } from "./provider.ts";
import { Empty, grpc } from "./wire.ts";

/** Long enough for a live process, short enough for a dead one. */
const cancelDeadlineMs = 2000;

type Send<Response> = (done: (error: ServiceError | null, response: Response) => void) => unknown;

export class PluginConnection {
  readonly child: Child;
  readonly client: PluginProcess["client"];
  readonly metadata = new grpc.Metadata();
  #protocol: Protocol | undefined;
  #calls = 0;

  constructor({ child, client, protocol }: PluginProcess, traceparent: string | undefined) {
    this.child = child;
    this.client = client;
    this.#protocol = protocol;
    // the real engine, where it traces, names the span that it has of the call; here it is the one that it was started in
    if (traceparent !== undefined) this.metadata.set("traceparent", traceparent);
  }

  get supportsPreview(): boolean {
    return this.#protocol?.supportsPreview ?? false;
  }

  /** The facts in its answer to Configure: nothing new after a Handshake. */
  agreeOn(protocol: Protocol): void {
    this.#protocol ??= protocol;
  }

  write(map: PropertyMap) {
    return toStruct(this.#protocol?.acceptSecrets ? map : plainMap(map));
  }

  /** @param sent under the same names, for the marks of a plugin that takes none */
  read(returned: PropertyMap, sent: PropertyMap): PropertyMap {
    return this.#protocol?.acceptSecrets ? returned : remark(returned, sent);
  }

  /** The same for a state: only a preview may not know. */
  readState(struct: Parameters<typeof fromStruct>[0], sent: PropertyMap, preview: boolean): PropertyMap {
    const outputs = fromStruct(struct);
    const unknown = Object.keys(outputs).find((key) => containsUnknown(outputs[key] ?? null));
    if (!preview && unknown !== undefined) {
      throw new ProviderError(`unexpected unknown property value for ${JSON.stringify(unknown)}`);
    }
    return this.read(outputs, sent);
  }

  call<Response>(send: Send<Response>, sent: PropertyMap = {}): Promise<Response> {
    this.#calls++;
    return new Promise((resolve, reject) => {
      send((error, response) => {
        this.#calls--;
        if (error) reject(readPluginError(error, (outputs) => this.read(outputs, sent)));
        else resolve(response);
      });
    });
  }

  /** @returns `undefined` where the plugin has no such method */
  callIfImplemented<Response>(send: Send<Response>): Promise<Response | undefined> {
    return this.call<Response | undefined>((done) =>
      send((error, response) => {
        if (error?.code === grpc.status.UNIMPLEMENTED) done(null, undefined);
        else done(error, response);
      }),
    );
  }

  /** Running calls continue. Never fails: the process may be dead. */
  cancel(): Promise<void> {
    return new Promise((done) => {
      const deadline = Date.now() + cancelDeadlineMs;
      this.client.cancel(new Empty(), new grpc.Metadata(), { deadline }, () => done());
    });
  }

  /** SIGINT, and SIGKILL if that isn't heeded. */
  async stop(): Promise<void> {
    await this.cancel();
    await this.child.stop();
  }

  async close(): Promise<void> {
    if (this.child.isRunning()) await this.cancel(); // the real engine sends it at every end
    this.client.close();
    await (this.#calls === 0 ? this.child.finish() : this.child.stop());
  }
}
