import type { S3 } from "@aws-sdk/client-s3";
import { DestinationError } from "../../../../base/runtime/messages/errors";
import { unlessAborted } from "../../../../base/runtime/time/clock";
import type { DestinationContext } from "../../destination";
import { placeUri } from "../bucketPlace";
import { checkCredentialFiles } from "../credentialFiles";
import type { StoreError } from "../storeError";
import { notTheStore, type StoreRequest } from "../storeFailure";
import { type DirectPut, directPut } from "./directPut";
import { type S3Action, type S3Error, s3Failure } from "./failure";
import { type BucketInputs, isPathStyle, s3BucketUri } from "./inputs";
import type { S3Sdk } from "./sdk";

/** How often the SDK sends a request that fails temporarily, with increasing delays: half a minute in all. */
const ATTEMPTS = 8;
const CONNECTION_TIMEOUT_MS = 10_000;
/** A connection without traffic for this time is closed, in milliseconds. */
const IDLE_TIMEOUT_MS = 30_000;
/** More than are ever used concurrently. */
const MAX_CONNECTIONS = 32;
/** The region that stores with their own endpoint usually accept. */
const DEFAULT_REGION = "us-east-1";

/** The SDK's client of one bucket. Each request stops with the operation's signal, and fails with a StoreError that names it. */
export interface BucketClient {
  readonly destination: BucketInputs;
  readonly sdk: S3Sdk;
  readonly context: DestinationContext;
  readonly s3: S3;
  /** Sends objects without the SDK's own work for each request. */
  readonly direct: DirectPut;
  /** The destination in messages. */
  readonly uri: string;

  /**
   * Sends one request. Its signal stops it: without one, the operation's does.
   *
   * @throws DestinationError; the signal's reason, immediately: the SDK's own delays ignore the signal
   */
  readonly run: <T>(
    request: S3Request,
    send: (options: { readonly abortSignal: AbortSignal }) => Promise<T>,
  ) => Promise<T>;

  /** The failure of a request that something else than the store has answered. */
  readonly notAnswered: (request: StoreRequest<S3Action>) => StoreError;

  /** The parameters with which requests name an object. */
  readonly named: (key: string) => { Bucket: string; Key: string };

  /** Closes its connections. */
  close(): void;
}

interface S3Request extends StoreRequest<S3Action> {
  /** Stops it. @default the operation's */
  readonly signal?: AbortSignal;
}

export function bucketClient(
  destination: BucketInputs,
  sdk: S3Sdk,
  context: DestinationContext,
): BucketClient {
  const { endpoint } = destination;
  checkCredentialFiles("s3", context, !context.environment("AWS_ACCESS_KEY_ID"));
  const region =
    destination.region ??
    (endpoint === undefined ? undefined : context.environment("AWS_REGION") || DEFAULT_REGION);
  const agent = { keepAlive: true, maxSockets: MAX_CONNECTIONS };
  const s3 = new sdk.s3.S3({
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
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
  const direct = directPut(s3, context.signal, context.clock);

  /** Registers the credentials as secrets: the store's messages may contain them. They are known here: no request is needed. */
  async function noteCredentials(): Promise<void> {
    const found = await s3.config.credentials().catch(() => undefined);
    const { accessKeyId = "", secretAccessKey = "", sessionToken = "" } = found ?? {};
    for (const secret of [accessKeyId, secretAccessKey, sessionToken]) context.secrets.add(secret);
  }

  async function run<T>(
    { action, key, signal = context.signal }: S3Request,
    send: (options: { readonly abortSignal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    try {
      return await unlessAborted(send({ abortSignal: signal }), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof DestinationError) throw error;
      if ((error as S3Error).$metadata !== undefined) await noteCredentials();
      throw s3Failure(error, { action, key }, destination);
    }
  }

  return {
    destination,
    sdk,
    context,
    s3,
    direct,
    run,
    uri: placeUri(s3BucketUri(destination), destination.prefix ?? ""),
    notAnswered: (request) =>
      notTheStore(request, { uri: s3BucketUri(destination), prefix: destination.prefix }),
    named: (key) => ({ Bucket: destination.bucket, Key: key }),
    close() {
      direct.close();
      s3.destroy();
    },
  };
}
