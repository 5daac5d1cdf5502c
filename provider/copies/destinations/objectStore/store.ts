import type { S3 } from "@aws-sdk/client-s3";
import { unlessAborted } from "../../../runtime/time/clock";
import { DestinationError } from "../../../runtime/messages/errors";
import type { DestinationContext } from "../destination";
import { addressOf, type BucketInputs, bucketUri, isPathStyle, keyOf } from "./inputs";
import type { Sdk } from "./sdk";
import { codeOf, type SdkError, statusOf, type StoreAction, storeFailure } from "./storeFailure";

/** How often the SDK sends a request that fails temporarily, with increasing delays: half a minute in all. */
const ATTEMPTS = 8;
const CONNECTION_TIMEOUT_MS = 10_000;
/** A connection without traffic for this time is closed, in milliseconds. */
const IDLE_TIMEOUT_MS = 30_000;
/** More than are ever used concurrently. */
const MAX_CONNECTIONS = 32;
/** The region that stores with their own endpoint usually accept. */
const DEFAULT_REGION = "us-east-1";

type Options = { readonly abortSignal: AbortSignal };
type Reason = (options: Options, status: number | undefined) => Promise<unknown>;

/**
 * A client of one bucket. `objects.ts` and `uploads.ts` have a function for each request. Each request stops with the
 * operation's signal, and fails with a DestinationError that names the request. The caller must destroy the client.
 */
export class Store {
  readonly destination: BucketInputs;
  readonly sdk: Sdk;
  readonly client: S3;
  readonly context: DestinationContext;

  constructor(destination: BucketInputs, sdk: Sdk, context: DestinationContext) {
    this.destination = destination;
    this.sdk = sdk;
    this.context = context;
    const { environment } = context;
    const region =
      destination.region ??
      (destination.endpoint === undefined ? undefined : environment("AWS_REGION") || DEFAULT_REGION);
    const agent = { keepAlive: true, maxSockets: MAX_CONNECTIONS };
    this.client = new sdk.s3.S3({
      ...(region !== undefined && { region }),
      ...(destination.endpoint !== undefined && { endpoint: destination.endpoint }),
      forcePathStyle: isPathStyle(destination),
      maxAttempts: ATTEMPTS,
      // all content is sent with its SHA-256: fewer stores support a second checksum
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      requestHandler: {
        connectionTimeout: CONNECTION_TIMEOUT_MS,
        socketTimeout: IDLE_TIMEOUT_MS,
        httpAgent: agent,
        httpsAgent: agent,
      },
    });
  }

  /** The destination as users know it. */
  get uri(): string {
    return bucketUri(this.destination);
  }

  /** The key of a name below the prefix; for "", the prefix of all keys. */
  key(name: string): string {
    return keyOf(this.destination, name);
  }

  /** The address of an object in messages. */
  uriOf(key: string): string {
    return `s3://${this.destination.bucket}/${key}`;
  }

  /** Where an object is fetched without a signature. @throws as {@link run} */
  async addressOf(key: string): Promise<string> {
    const region = await this.run("s3:GetObject", undefined, () => this.client.config.region());
    return addressOf(this.destination, region, key);
  }

  /**
   * Sends one request.
   *
   * @param action the permission that it needs
   * @param key of the object that the request is about, if any
   * @param expected results for error codes that are not errors here, by code
   * @param more.signal stops the request instead of the operation's signal
   * @param more.reason the request that has the store's reason if the answer has none, as the answer to HEAD
   * @throws DestinationError; the signal's reason, immediately: the SDK's own delays ignore the signal
   */
  async run<T, E = never>(
    action: StoreAction,
    key: string | undefined,
    send: (options: Options) => Promise<T>,
    expected: Readonly<Record<string, E>> = {},
    { signal = this.context.signal, reason }: { signal?: AbortSignal; reason?: Reason } = {},
  ): Promise<T | E> {
    signal.throwIfAborted();
    try {
      return await unlessAborted(send({ abortSignal: signal }), signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason as Error;
      if (error instanceof DestinationError) throw error;
      const code = codeOf(error);
      if (Object.hasOwn(expected, code)) return expected[code] as E;
      if ((error as SdkError).$metadata !== undefined) await this.#noteCredentials();
      const known = /^\d+$/.test(code) && reason ? await this.#reasonOf(error, reason, signal) : error;
      throw storeFailure(known, action, this.destination, key);
    }
  }

  /** The error of a request that fails for the same reason; the given one if it does not fail so. */
  async #reasonOf(error: unknown, send: Reason, signal: AbortSignal): Promise<unknown> {
    try {
      await unlessAborted(send({ abortSignal: signal }, statusOf(error)), signal);
    } catch (reason) {
      if (signal.aborted) throw signal.reason as Error;
      const isSame = statusOf(reason) === statusOf(error);
      if (isSame && !/^\d+$/.test(codeOf(reason))) return reason;
    }
    return error;
  }

  /** Registers the credentials as secrets: the store's messages may contain them. They are known here: no request is needed. */
  async #noteCredentials(): Promise<void> {
    const found = await this.client.config.credentials().catch(() => undefined);
    const { accessKeyId = "", secretAccessKey = "", sessionToken = "" } = found ?? {};
    for (const secret of [accessKeyId, secretAccessKey, sessionToken]) this.context.secrets.add(secret);
  }
}
