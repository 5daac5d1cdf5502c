import type { Readable } from "node:stream";
import { type Fault, parseRetryAfter } from "../../../../base/http/retryPolicy";
import { DestinationError } from "../../../../base/runtime/messages/errors";
import { unlessAborted } from "../../../../base/runtime/time/clock";
import type { DestinationContext } from "../../destination";
import type { StoreError } from "../storeError";
import { notTheStore, type StoreRequest } from "../storeFailure";
import { untilAnswered } from "../untilAnswered";
import type { Access } from "./credentials";
import { type AzureAction, azureFailure, codeOf, headerOf, statusOf } from "./failure";
import { type AzureContainerInputs, containerUri, serviceUrl } from "./inputs";
import type { BlobServiceClient, BlobsSdk, BlockBlob, Container } from "./sdk";

/** A request without traffic for this time is given up, in milliseconds. */
const SILENCE_LIMIT_MS = 60_000;

interface AzureRequest extends StoreRequest<AzureAction> {
  /** Stops it. @default the operation's */
  readonly signal?: AbortSignal;
}

/** What each request gets. */
interface RequestOptions {
  readonly abortSignal: AbortSignal;
  /** Notes traffic. */
  readonly onProgress: () => void;
}

/** The SDK's client of one container. Each request stops with the operation's signal, and fails with a StoreError that names it. */
export interface ContainerClient {
  readonly inputs: AzureContainerInputs;
  readonly sdk: BlobsSdk;
  readonly access: Access;
  readonly context: DestinationContext;
  readonly service: BlobServiceClient;
  readonly container: Container;

  /** Sends a request, again after temporary failures. @throws DestinationError; the signal's reason */
  readonly run: <T>(request: AzureRequest, send: (options: RequestOptions) => Promise<T>) => Promise<T>;

  /** The failure of a request that something else than the service has answered. */
  readonly notAnswered: (request: StoreRequest<AzureAction>) => StoreError;

  blob(name: string): BlockBlob;

  /** The content of a blob as it arrives. @throws DestinationError; the signal's reason */
  watched(content: Readable, key: string): AsyncGenerator<Uint8Array>;
}

export function containerClient(
  inputs: AzureContainerInputs,
  sdk: BlobsSdk,
  access: Access,
  context: DestinationContext,
): ContainerClient {
  const { clock, deadline } = context;
  const service = new sdk.BlobServiceClient(
    access.kind === "sas" ? `${serviceUrl(inputs)}?${access.token}` : serviceUrl(inputs),
    access.kind === "sas" ? undefined : access.credential,
    // `run` repeats requests: the SDK's own policy knows neither 429 nor `Retry-After`
    { retryOptions: { maxTries: 1 } },
  );
  const container = service.getContainerClient(inputs.azureContainer);
  const failureOf = (error: unknown, { action, key }: AzureRequest): DestinationError =>
    azureFailure(error, { action, key, inputs, access, nowMs: clock.now() });

  async function run<T>(request: AzureRequest, send: (options: RequestOptions) => Promise<T>): Promise<T> {
    const { signal = context.signal } = request;
    return untilAnswered({ clock, deadline, signal }, async () => {
      signal.throwIfAborted();
      const silence = new AbortController();
      let stop = (): void => undefined;
      const onProgress = (): void => {
        stop();
        stop = clock.after(SILENCE_LIMIT_MS, () => silence.abort());
      };
      try {
        onProgress();
        const abortSignal = AbortSignal.any([signal, silence.signal]);
        return { value: await unlessAborted(send({ abortSignal, onProgress }), abortSignal) };
      } catch (thrown) {
        signal.throwIfAborted();
        if (thrown instanceof DestinationError) throw thrown;
        const error = silence.signal.aborted ? SILENT : thrown;
        return { error: failureOf(error, request), fault: faultOf(error, clock.now()) };
      } finally {
        stop();
      }
    });
  }

  return {
    inputs,
    sdk,
    access,
    context,
    service,
    container,
    run,
    notAnswered: (request) => notTheStore(request, { uri: containerUri(inputs), prefix: inputs.prefix }),
    blob: (name) => container.getBlockBlobClient(name),

    async *watched(content, key) {
      const pieces = content[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
      try {
        for (;;) {
          const stop = clock.after(SILENCE_LIMIT_MS, () => content.destroy(SILENT));
          const next = await unlessAborted(pieces.next(), context.signal).finally(stop);
          if (next.done) return;
          yield next.value;
        }
      } catch (error) {
        context.signal.throwIfAborted();
        throw error instanceof DestinationError ? error : failureOf(error, { action: "read", key });
      } finally {
        content.destroy();
      }
    },
  };
}

const SILENT = Object.assign(new Error("no traffic"), { code: "ETIMEDOUT" });

/** Why a request failed; `undefined` if it would fail again. */
function faultOf(error: unknown, nowMs: number): Fault | undefined {
  const status = statusOf(error);
  const code = codeOf(error);
  if (status !== undefined) {
    const retryAfterMs = parseRetryAfter(headerOf(error, "retry-after") ?? null, nowMs);
    return { kind: "status", status, retryAfterMs };
  }
  if (!/^(?:E(?!RR_)[A-Z_]+|REQUEST_SEND_ERROR|PARSE_ERROR)$/.test(code)) return undefined;
  return { kind: "interrupted", code: String(error).includes("ENOTFOUND") ? "ENOTFOUND" : code };
}
