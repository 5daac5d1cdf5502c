import type { S3 } from "@aws-sdk/client-s3";
import { unlessAborted } from "../../../../runtime/time/clock";
import { DestinationError } from "../../../../runtime/messages/errors";
import type { DestinationContext } from "../../destination";
import { type Action, codeOf, s3Failure, type SdkError, statusOf } from "./failure";
import { placeUri } from "../bucketPlace";
import { type BucketInputs, bucketUri, isPathStyle } from "./inputs";
import { DirectPut } from "./directPut";
import type { Sdk } from "./sdk";

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

/** The SDK's client of one bucket. Each request stops with the operation's signal, and fails with a StoreError that names it. */
export class BucketClient {
  readonly destination: BucketInputs;
  readonly sdk: Sdk;
  readonly s3: S3;
  readonly direct: DirectPut;
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
    this.s3 = new sdk.s3.S3({
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
    this.direct = new DirectPut(this.s3, context.signal);
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
    action: Action,
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
      throw s3Failure(known, action, this.destination, key);
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

  /** Closes its connections. */
  close(): void {
    this.direct.close();
    this.s3.destroy();
  }

  /** The destination in messages. */
  get uri(): string {
    return placeUri(bucketUri(this.destination), this.destination.prefix ?? "");
  }

  /** The parameters with which requests name an object. */
  named(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.destination.bucket, Key: key };
  }

  /** Registers the credentials as secrets: the store's messages may contain them. They are known here: no request is needed. */
  async #noteCredentials(): Promise<void> {
    const found = await this.s3.config.credentials().catch(() => undefined);
    const { accessKeyId = "", secretAccessKey = "", sessionToken = "" } = found ?? {};
    for (const secret of [accessKeyId, secretAccessKey, sessionToken]) this.context.secrets.add(secret);
  }
}
