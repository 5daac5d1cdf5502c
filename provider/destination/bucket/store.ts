import type { S3Client } from "@aws-sdk/client-s3";
import { unlessAborted } from "../../time/unlessAborted";
import { DestinationError } from "../../messages/errors";
import type { DestinationContext } from "../destination";
import { bucketUri, keyOf, type BucketInputs } from "./inputs";
import type { Sdk } from "./sdk";
import { codeOf, storeFailure, type SdkError, type StoreAction } from "./storeFailure";

/** How often a request is sent that fails for a passing reason, by the SDK, which waits longer each time: half a minute in all. */
const ATTEMPTS = 8;
const CONNECTION_TIMEOUT_MS = 10_000;
/** A connection on which nothing moves for so long is given up, in milliseconds. */
const IDLE_TIMEOUT_MS = 30_000;
/** More than are ever used at once. */
const MAX_CONNECTIONS = 32;
/** Where stores with an endpoint of their own say that they are, as a rule. */
const DEFAULT_REGION = "us-east-1";

type Options = { readonly abortSignal: AbortSignal };

/**
 * The way to a bucket: `objects.ts` and `uploads.ts` have a function for each request. Each stops with the operation's signal,
 * and fails with a DestinationError that says what was asked. To be closed.
 */
export class Store {
  readonly destination: BucketInputs;
  readonly sdk: Sdk;
  readonly client: S3Client;
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
    this.client = new sdk.s3.S3Client({
      ...(region !== undefined && { region }),
      ...(destination.endpoint !== undefined && { endpoint: destination.endpoint, forcePathStyle: true }),
      maxAttempts: ATTEMPTS,
      // every content that is sent has its SHA-256: a second checksum is known to fewer stores
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

  /** The destination as people know it. */
  get uri(): string {
    return bucketUri(this.destination);
  }

  /** The key of a name below the prefix; of "" what all keys begin with. */
  key(name: string): string {
    return keyOf(this.destination, name);
  }

  /** Lets go of the connections. */
  close(): void {
    this.client.destroy();
  }

  /** The operation's: it aborts at the time limit, too. */
  get signal(): AbortSignal {
    return this.context.signal;
  }

  /** The bucket's region. */
  async region(): Promise<string> {
    return this.run("s3:GetObject", undefined, () => this.client.config.region());
  }

  /**
   * One request.
   *
   * @param action permission that it needs
   * @param key of the object that it is about, where it is about one
   * @param expected what an answer means that is an error to the SDK, by its code
   * @param signal ends it in the place of the operation's own
   * @throws DestinationError; the signal's reason, at once: the SDK's own waits do not hear it
   */
  async run<T, E = never>(
    action: StoreAction,
    key: string | undefined,
    send: (options: Options) => Promise<T>,
    expected: Readonly<Record<string, E>> = {},
    signal = this.signal,
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
      throw storeFailure(error, action, this.destination, key);
    }
  }

  /** A store that answered may have put them into its words. They are known by then: nobody is asked again. */
  async #noteCredentials(): Promise<void> {
    const found = await this.client.config.credentials().catch(() => undefined);
    const { accessKeyId = "", secretAccessKey = "", sessionToken = "" } = found ?? {};
    for (const secret of [accessKeyId, secretAccessKey, sessionToken]) this.context.secrets.add(secret);
  }
}
