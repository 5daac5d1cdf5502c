import { attempt, type HttpReply, type HttpRequest } from "../../../../base/http/attempt";
import { KeptConnections } from "../../../../base/http/attemptConnection";
import { proxyFor } from "../../../../base/http/proxy";
import { parseRetryAfter } from "../../../../base/http/retryPolicy";
import { unlessAborted } from "../../../../base/runtime/time/clock";
import type { DestinationContext } from "../../destination";
import { checkCredentialFiles } from "../credentialFiles";
import type { StoreError } from "../storeError";
import { notTheStore, type StoreRequest } from "../storeFailure";
import { type AnsweredOrFailed, untilAnswered } from "../untilAnswered";
import { authFailure, type GcsAction, gcsConnectionFailure, refusalFailure } from "./failure";
import { gcsBucketUri, type GcsInputs } from "./inputs";
import { isJsonObject, type JsonFields, jsonFieldsOf, textField } from "./replyText";
import type { GcsSdk, GcsStorage } from "./sdk";

/** A connection without traffic for this time is closed, in milliseconds: a copy within the store may take half of it. */
const SILENCE_LIMIT_MS = 60_000;
type Query = Readonly<Record<string, string | undefined>>;

/** A request to the store. All of them may be repeated. */
export interface GcsRequest extends StoreRequest<GcsAction> {
  /** Whether it needs nothing but the bucket: then «not found» is about that. */
  readonly isOfBucket?: boolean;
  readonly method: HttpRequest["method"];
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Created again for each attempt. */
  readonly body?: (() => Buffer | AsyncIterable<Uint8Array>) | undefined;
  /** Does not decompress the reply. @default false */
  readonly isRaw?: boolean;
  /** Statuses of 300 and more that the reader handles. */
  readonly accepted?: readonly number[];
}

/**
 * Requests to one bucket by the JSON API (https://cloud.google.com/storage/docs/json_api). Google's library gives the credentials and
 * signs links. It does not send the requests: its methods cannot be stopped, and do not repeat what was streamed.
 */
export interface GcsClient {
  readonly inputs: GcsInputs;
  readonly sdk: GcsSdk;
  readonly context: DestinationContext;
  readonly storage: GcsStorage;
  /** Base URL of the store, without a slash at its end. */
  readonly endpoint: string;
  /** The bucket in addresses of copies. */
  readonly uri: string;

  /** Work that needs credentials. @throws StoreError; the signal's reason, immediately: the library ignores the signal */
  authenticated<T>(work: () => Promise<T>): Promise<T>;

  /**
   * Sends a request until it is answered.
   *
   * @param again what is sent after a temporary failure. @default the same
   * @param earlier failures before it that count: the pauses grow with them
   * @throws StoreError; what the reader throws; the signal's reason
   */
  readonly send: <T>(
    request: GcsRequest,
    read: (reply: HttpReply) => Promise<T>,
    again?: GcsRequest,
    earlier?: number,
  ) => Promise<T>;

  /** The failure of a request that something else than the store has answered. */
  readonly notAnswered: (request: StoreRequest<GcsAction>) => StoreError;

  /** Sends a request, and reads the JSON of its reply. @throws StoreError, also if the reply has something else */
  readonly json: (request: GcsRequest) => Promise<JsonFields>;

  /** The address of the bucket's objects, or of one; below it, of what is done with it. */
  object(key?: string, query?: Query, ...more: readonly string[]): URL;

  /** Where new objects are sent. */
  upload(query: Query): URL;

  close(): void;
}

export function gcsClient(inputs: GcsInputs, sdk: GcsSdk, context: DestinationContext): GcsClient {
  const { environment, clock, signal, secrets } = context;
  checkCredentialFiles("gcs", context);
  const universe = environment("GOOGLE_CLOUD_UNIVERSE_DOMAIN") || "googleapis.com";
  const emulator = environment("STORAGE_EMULATOR_HOST")?.trim();
  const given =
    inputs.endpoint ?? (emulator && (/^https?:/i.test(emulator) ? emulator : `http://${emulator}`));
  const endpoint = (given || `https://storage.${universe}`).replace(/\/+$/, "");
  const { origin } = new URL(endpoint);
  const storage = new sdk.Storage({
    apiEndpoint: endpoint,
    useAuthWithCustomEndpoint: true,
    ...(universe !== "googleapis.com" && { universeDomain: universe }),
  });
  const connections = new KeptConnections(endpoint, clock, { proxy: proxyFor(endpoint, environment) });
  /** The last token: its registration as a secret takes longer than its use. */
  let lastToken: string | undefined;

  async function authenticated<T>(work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    try {
      return await unlessAborted(work(), signal);
    } catch (error) {
      signal.throwIfAborted();
      throw authFailure(error, inputs);
    }
  }

  /** The headers with credentials; undefined for an emulator, and for a session, whose address is a credential. */
  async function authorizationFor(url: URL): Promise<Record<string, string> | undefined> {
    if (url.protocol !== "https:" || url.origin !== origin) return undefined;
    const found = await authenticated(() => storage.authClient.getRequestHeaders(url.origin));
    // an object, or Headers: it depends on the library's version
    const headers = Object.fromEntries(new Headers(found));
    const token = headers["authorization"];
    if (token !== undefined && token !== lastToken) {
      lastToken = token;
      secrets.add(token.replace(/^Bearer /i, ""));
    }
    return headers;
  }

  async function sendOnce<T>(
    request: GcsRequest,
    read: (reply: HttpReply) => Promise<T>,
  ): Promise<AnsweredOrFailed<T>> {
    const { method, url, headers, body, isRaw = false, accepted = [] } = request;
    const { host, href, pathname } = url;
    const authorization = await authorizationFor(url);
    const reader = { isBegun: false };
    const outcome = await attempt<AnsweredOrFailed<T>>(
      { url: href, host, name: `${method} ${url.origin}${pathname}` }, // without its query, which may be a credential
      { method, headers: { ...headers, ...authorization }, body: body?.(), isRaw },
      context,
      { silenceMs: SILENCE_LIMIT_MS, kept: connections },
      async (reply) => {
        if (reply.status < 300 || accepted.includes(reply.status)) {
          reader.isBegun = true;
          return { value: await read(reply) };
        }
        const error = await refusalFailure(reply, request, inputs, authorization !== undefined);
        // Google also reports throttling with the status 403
        const status = error.failure === "busy" ? 429 : reply.status;
        const retryAfterMs = parseRetryAfter(reply.headers.get("retry-after"), clock.now());
        return { error, fault: { kind: "status", status, retryAfterMs } };
      },
    );
    if ("value" in outcome) return outcome.value;
    // a reader that began may not be called again
    const fault = reader.isBegun && isRaw ? undefined : outcome.fault;
    return { error: gcsConnectionFailure(outcome, request, inputs), fault };
  }

  async function send<T>(
    request: GcsRequest,
    read: (reply: HttpReply) => Promise<T>,
    again: GcsRequest = request,
    earlier = 0,
  ): Promise<T> {
    return untilAnswered(context, (isRepeat) => sendOnce(isRepeat ? again : request, read), earlier);
  }

  /** The failure of a request that something else than the store has answered. */
  const notAnswered = ({ action, key }: StoreRequest<GcsAction>): StoreError =>
    notTheStore({ action, key }, { uri: gcsBucketUri(inputs), prefix: inputs.prefix });

  return {
    inputs,
    sdk,
    context,
    storage,
    authenticated,
    send,
    endpoint,
    uri: gcsBucketUri(inputs),

    object(key, query = {}, ...more) {
      const path = [inputs.gcsBucket, "o", ...(key === undefined ? [] : [key]), ...more];
      return withQuery(`${endpoint}/storage/v1/b/${path.map(encodeURIComponent).join("/")}`, query);
    },

    upload: (query) =>
      withQuery(`${endpoint}/upload/storage/v1/b/${encodeURIComponent(inputs.gcsBucket)}/o`, query),

    notAnswered,

    json: (request) =>
      send(request, async (reply) => {
        const text = await textField(reply);
        if (!isJsonObject(text)) throw notAnswered(request);
        return jsonFieldsOf(text);
      }),

    close: () => connections.close(),
  };
}

function withQuery(address: string, query: Query): URL {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}
