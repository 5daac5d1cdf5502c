import { attempt, type HttpReply, type HttpRequest } from "../../../../http/attempt";
import { KeptConnections } from "../../../../http/attemptConnection";
import { proxyFor } from "../../../../http/proxy";
import {
  allowedRepeats,
  type FailedAttempt,
  parseRetryAfter,
  retryDelayMs,
} from "../../../../http/retryPolicy";
import { sleep, unlessAborted } from "../../../../runtime/time/clock";
import type { DestinationContext } from "../../destination";
import { StoreError } from "../storeError";
import {
  type Action,
  authFailure,
  connectionFailure,
  type Refusal,
  readRefusal,
  storeFailure,
} from "./failure";
import { bucketUri, type GcsInputs } from "./inputs";
import type { Sdk } from "./sdk";

/** How often a request that fails temporarily is sent, with increasing delays: half a minute in all. */
const ATTEMPTS = 8;
/** A connection without traffic for this time is closed, in milliseconds: a copy within the store may take half of it. */
const SILENCE_LIMIT_MS = 60_000;
/** The longest description that is read, in bytes: a page of a list of the longest names. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024;

type Query = Readonly<Record<string, string | undefined>>;

/** A request to the store. All of them may be repeated. */
export interface GcsRequest {
  /** The permission that it needs. */
  readonly action: Action;
  /** Whether it needs nothing but the bucket: then «not found» is about that. */
  readonly isOfBucket?: boolean;
  /** Of the object that it is about, if any. */
  readonly key?: string | undefined;
  readonly method: HttpRequest["method"];
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Created again for each attempt. */
  readonly body?: (() => Buffer | AsyncIterable<Uint8Array>) | undefined;
  /** Does not decompress the answer. @default false */
  readonly isRaw?: boolean;
  /** Statuses of 300 and more that the reader handles. */
  readonly accepted?: readonly number[];
}

/**
 * Requests to one bucket by the JSON API (https://cloud.google.com/storage/docs/json_api). Google's library gives the credentials and
 * signs links. It does not send the requests: its methods cannot be stopped, and do not repeat what was streamed.
 */
export class GcsClient {
  readonly inputs: GcsInputs;
  readonly sdk: Sdk;
  readonly context: DestinationContext;
  /** Base URL of the store, without a slash at its end. */
  readonly endpoint: string;
  readonly storage: InstanceType<Sdk["Storage"]>;
  readonly #connections: KeptConnections;
  /** The last token: its registration as a secret takes longer than its use. */
  #token: string | undefined;

  constructor(inputs: GcsInputs, sdk: Sdk, context: DestinationContext) {
    this.inputs = inputs;
    this.sdk = sdk;
    this.context = context;
    const { environment, clock } = context;
    const universe = environment("GOOGLE_CLOUD_UNIVERSE_DOMAIN") || "googleapis.com";
    const emulator = environment("STORAGE_EMULATOR_HOST")?.trim();
    const given =
      inputs.endpoint ?? (emulator && (/^https?:/i.test(emulator) ? emulator : `http://${emulator}`));
    this.endpoint = (given || `https://storage.${universe}`).replace(/\/+$/, "");
    this.storage = new sdk.Storage({
      ...{ apiEndpoint: this.endpoint, useAuthWithCustomEndpoint: true },
      ...(universe !== "googleapis.com" && { universeDomain: universe }),
    });
    this.#connections = new KeptConnections(this.endpoint, clock, {
      proxy: proxyFor(this.endpoint, environment),
    });
  }

  /** The address of the bucket's objects, or of one; below it, of what is done with it. */
  object(key?: string, query: Query = {}, ...more: readonly string[]): URL {
    const path = [this.inputs.gcsBucket, "o", ...(key === undefined ? [] : [key]), ...more];
    return withQuery(`${this.endpoint}/storage/v1/b/${path.map(encodeURIComponent).join("/")}`, query);
  }

  /** Where new objects are sent. */
  upload(query: Query): URL {
    const bucket = encodeURIComponent(this.inputs.gcsBucket);
    return withQuery(`${this.endpoint}/upload/storage/v1/b/${bucket}/o`, query);
  }

  /**
   * Sends a request until it is answered.
   *
   * @param again what is sent after a temporary failure. @default the same
   * @param earlier failures before it that count: the pauses grow with them
   * @throws StoreError; what the reader throws; the signal's reason
   */
  async send<T>(
    request: GcsRequest,
    read: (reply: HttpReply) => Promise<T>,
    again: GcsRequest = request,
    earlier = 0,
  ): Promise<T> {
    const { clock, signal, deadline } = this.context;
    for (let failures = earlier; ;) {
      const outcome = await this.#sendOnce(failures === earlier ? request : again, read);
      if ("value" in outcome) return outcome.value;
      const { fault, error, isLast = false } = outcome;
      const delayMs = retryDelayMs(fault, ++failures, clock.random());
      const most = Math.min(ATTEMPTS, allowedRepeats(fault, "repeatable") + 1);
      if (isLast || failures >= most || delayMs >= deadline.remainingMs()) throw error;
      await sleep(clock, delayMs, signal);
    }
  }

  /** Sends a request, and reads the JSON of its answer. */
  async json(request: GcsRequest): Promise<Fields> {
    return this.send(request, async (reply) => fieldsOf(await textOf(reply)));
  }

  async #sendOnce<T>(
    request: GcsRequest,
    read: (reply: HttpReply) => Promise<T>,
  ): Promise<{ value: T } | (FailedAttempt & { isLast?: boolean })> {
    const { method, url, headers, body, isRaw, accepted = [] } = request;
    const { host, href, origin, pathname } = url;
    const authorization = await this.#authorization(url);
    const reader = { isBegun: false };
    const outcome = await attempt<{ value: T } | { refusal: Refusal }>(
      { url: href, host, name: `${method} ${origin}${pathname}` }, // without its query, which may be a credential
      { method, headers: { ...headers, ...authorization }, body: body?.(), isRaw: isRaw ?? false },
      this.context,
      { silenceMs: SILENCE_LIMIT_MS, kept: this.#connections },
      async (reply) => {
        if (reply.status >= 300 && !accepted.includes(reply.status))
          return { refusal: await readRefusal(reply) };
        reader.isBegun = true;
        return { value: await read(reply) };
      },
    );
    // a reader that began may not be called again
    if ("fault" in outcome) {
      return {
        ...outcome,
        error: connectionFailure(outcome, request, this.inputs),
        isLast: reader.isBegun && isRaw === true,
      };
    }
    if ("value" in outcome.value) return outcome.value;
    const { refusal } = outcome.value;
    const error = storeFailure(refusal, request, this.inputs, authorization !== undefined);
    // Google also reports throttling with the status 403
    const status = error.failure === "busy" ? 429 : refusal.status;
    const retryAfterMs = parseRetryAfter(refusal.retryAfter, this.context.clock.now());
    return { fault: { kind: "status", status, retryAfterMs }, error };
  }

  /** The headers with credentials; undefined for an emulator, and for a session, whose address is a credential. */
  async #authorization(url: URL): Promise<Record<string, string> | undefined> {
    if (url.protocol !== "https:" || url.origin !== new URL(this.endpoint).origin) return undefined;
    const found = await this.authenticated(() => this.storage.authClient.getRequestHeaders(url.origin));
    // an object, or Headers: it depends on the library's version
    const headers = Object.fromEntries(new Headers(found));
    const token = headers["authorization"];
    if (token !== undefined && token !== this.#token) {
      this.#token = token;
      this.context.secrets.add(token.replace(/^Bearer /i, ""));
    }
    return headers;
  }

  /** Work that needs credentials. @throws StoreError; the signal's reason, immediately: the library ignores the signal */
  async authenticated<T>(work: () => Promise<T>): Promise<T> {
    const { signal } = this.context;
    signal.throwIfAborted();
    try {
      return await unlessAborted(work(), signal);
    } catch (error) {
      signal.throwIfAborted();
      throw authFailure(error, this.inputs);
    }
  }

  close(): void {
    this.#connections.close();
  }

  /** The bucket in addresses of copies. */
  get uri(): string {
    return bucketUri(this.inputs);
  }
}

/** The fields of a JSON answer. */
export type Fields = Readonly<Record<string, unknown>>;

/** A short answer as a text. */
export async function textOf(reply: HttpReply): Promise<string> {
  return (await reply.beginning(MAX_TEXT_BYTES)).toString();
}

function fieldsOf(text: string): Fields {
  try {
    return Object(JSON.parse(text)) as Fields;
  } catch {
    return {}; // none: what is missing is reported where it is needed
  }
}

function withQuery(address: string, query: Query): URL {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

/** The result of work, `undefined` where the store says that there is no such object. */
export async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StoreError && error.failure === "missing") return undefined;
    throw error;
  }
}
