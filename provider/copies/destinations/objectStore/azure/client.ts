import type { Readable } from "node:stream";
import { allowedRepeats, parseRetryAfter, retryDelayMs, type Fault } from "../../../../http/retryPolicy";
import { DestinationError } from "../../../../runtime/messages/errors";
import { sleep, unlessAborted } from "../../../../runtime/time/clock";
import type { DestinationContext } from "../../destination";
import { findAccess, type Access } from "./credentials";
import { azureFailure, codeOf, headerOf, statusOf, type Action } from "./failure";
import { serviceUrl, type AzureContainerInputs } from "./inputs";
import { loadBlobs, type BlobsSdk, type BlockBlobClient, type ContainerClient } from "./sdk";

/** How often a request is sent that fails temporarily, with increasing delays: half a minute in all. */
const ATTEMPTS = 8;
/** A request without traffic for this time is given up, in milliseconds. */
const SILENCE_LIMIT_MS = 60_000;

/** What each request gets. */
export interface RequestOptions {
  readonly abortSignal: AbortSignal;
  /** Notes traffic. */
  readonly onProgress: () => void;
}

/** The SDK's client of one container. Each request stops with the operation's signal, and fails with a StoreError that names it. */
export class ContainerAccess {
  readonly inputs: AzureContainerInputs;
  readonly sdk: BlobsSdk;
  readonly access: Access;
  readonly container: ContainerClient;
  readonly context: DestinationContext;

  constructor(inputs: AzureContainerInputs, sdk: BlobsSdk, access: Access, context: DestinationContext) {
    this.inputs = inputs;
    this.sdk = sdk;
    this.access = access;
    this.context = context;
    this.container = new sdk.BlobServiceClient(
      access.kind === "sas" ? `${serviceUrl(inputs)}?${access.token}` : serviceUrl(inputs),
      access.kind === "sas" ? undefined : access.credential,
      // `run` repeats requests: the SDK's own policy knows neither 429 nor `Retry-After`
      { retryOptions: { maxTries: 1 } },
    ).getContainerClient(inputs.azureContainer);
  }

  blob(name: string): BlockBlobClient {
    return this.container.getBlockBlobClient(name);
  }

  /**
   * Sends a request, again after temporary failures.
   *
   * @param action the permission that it needs
   * @param name of the blob that the request is about, if any
   * @param expected results for error codes that are not errors here, by code
   * @param signal stops it. @default the operation's
   * @throws DestinationError; the signal's reason
   */
  async run<T, E = never>(
    action: Action,
    name: string | undefined,
    send: (options: RequestOptions) => Promise<T>,
    expected: Readonly<Record<string, E>> = {},
    signal: AbortSignal = this.context.signal,
  ): Promise<T | E> {
    const { clock } = this.context;
    for (let failures = 1; ; failures++) {
      signal.throwIfAborted();
      const silence = new AbortController();
      let stop = (): void => undefined;
      const moved = (): void => {
        stop();
        stop = clock.after(SILENCE_LIMIT_MS, () => silence.abort());
      };
      try {
        moved();
        const abortSignal = AbortSignal.any([signal, silence.signal]);
        return await unlessAborted(send({ abortSignal, onProgress: moved }), abortSignal);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof DestinationError) throw error;
        const code = codeOf(error);
        if (Object.hasOwn(expected, code)) return expected[code] as E;
        const reason = silence.signal.aborted ? SILENT : error;
        const delayMs = failures < ATTEMPTS ? this.#delayMs(reason, failures) : undefined;
        if (delayMs === undefined) throw this.failure(reason, action, name);
        await sleep(clock, delayMs, signal);
      } finally {
        stop();
      }
    }
  }

  /** The content of a blob as it arrives. @throws as {@link run} */
  async *watched(content: Readable, name: string): AsyncGenerator<Uint8Array> {
    const { clock, signal } = this.context;
    const pieces = content[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    try {
      for (;;) {
        const stop = clock.after(SILENCE_LIMIT_MS, () => content.destroy(SILENT));
        const next = await unlessAborted(pieces.next(), signal).finally(stop);
        if (next.done) return;
        yield next.value;
      }
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof DestinationError ? error : this.failure(error, "read", name);
    } finally {
      content.destroy();
    }
  }

  failure(error: unknown, action: Action, name: string | undefined): DestinationError {
    const { inputs, access, context } = this;
    return azureFailure(error, { action, name, inputs, access, nowMs: context.clock.now() });
  }

  /** The pause before the next attempt; `undefined` if there is none. */
  #delayMs(error: unknown, failures: number): number | undefined {
    const { clock } = this.context;
    const status = statusOf(error);
    const code = codeOf(error);
    if (status === undefined && !/^(?:E(?!RR_)[A-Z_]+|REQUEST_SEND_ERROR|PARSE_ERROR)$/.test(code))
      return undefined;
    const retryAfter = headerOf(error, "retry-after") ?? null;
    const fault: Fault =
      status === undefined
        ? { kind: "interrupted", code: /ENOTFOUND/.test(String(error)) ? "ENOTFOUND" : code }
        : { kind: "status", status, retryAfterMs: parseRetryAfter(retryAfter, clock.now()) };
    if (failures > allowedRepeats(fault, "repeatable")) return undefined;
    return retryDelayMs(fault, failures, clock.random());
  }
}

const SILENT = Object.assign(new Error("no traffic"), { code: "ETIMEDOUT" });

/** Connects to a container, without a request. */
export async function openContainer(
  inputs: AzureContainerInputs,
  context: DestinationContext,
): Promise<ContainerAccess> {
  const sdk = await loadBlobs();
  return new ContainerAccess(inputs, sdk, await findAccess(inputs, context, sdk), context);
}
