import type { Readable } from "node:stream";
import type { S3 } from "@aws-sdk/client-s3";
import { DIGEST_NAME, type NewObject, type Revision, type WriteCondition } from "../objectStore";
import { contentMd5 } from "./checksums";
import { encodeKey } from "./inputs";

/** A request of the SDK. */
interface SdkRequest {
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What sends the SDK's requests. */
interface Handler {
  handle(
    request: SdkRequest,
    options: object,
  ): Promise<{
    readonly response: {
      readonly statusCode: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Readable;
    };
  }>;
}

/** How the SDK signs a request. */
interface Scheme {
  readonly httpAuthOption: { readonly schemeId: string; readonly signingProperties?: object };
  readonly identity: object;
  readonly signer: {
    sign(request: SdkRequest, identity: object, signingProperties: object): Promise<SdkRequest>;
  };
}

/** What the SDK notes about a request while it is made. */
interface Noted {
  readonly commandName?: string;
  readonly __smithy_context?: { readonly selectedHttpAuthScheme?: Scheme };
}

/** An object that the SDK has sent: others are sent like it. */
interface Sample {
  readonly request: SdkRequest;
  /** The request's path without the object's key. */
  readonly root: string;
  /** Headers that all objects have. */
  readonly headers: Readonly<Record<string, string>>;
  readonly scheme: Scheme;
}

/** The signature of every region; not that of several regions at once, nor that of directory buckets. */
const SCHEME = "aws.auth#sigv4";

/** Headers that each object, attempt or signature has its own of. */
const OWN_HEADERS =
  /^(?:authorization|content-.*|cache-control|expect|if-.*|transfer-encoding|amz-sdk-.*|x-amz-(?:date|trailer|decoded-.*|content-sha256|security-token|s3session-token|meta-.*|(?:sdk-)?checksum-.*))$/;

/** After so many failures in a run, the SDK sends everything: this store or network is not for it. */
const MOST_FAILURES = 100;

/**
 * Sends small objects as the SDK has sent one, signed and transported by the SDK's own signer and handler, but without its middleware,
 * which takes most of the time of a small request. Whatever is not a plain success, the SDK does again, with retries and errors.
 */
export class DirectPut {
  readonly #s3: S3;
  readonly #signal: AbortSignal;
  #sample: Sample | undefined;
  #failures = 0;

  constructor(s3: S3, signal: AbortSignal) {
    this.#s3 = s3;
    this.#signal = signal;
    signal.addEventListener("abort", this.#stop, { once: true });
    s3.middlewareStack.add(
      (next, context) => async (args) => {
        const result = await next(args);
        this.#note(args as unknown as { input: { Key?: string }; request: SdkRequest }, context);
        return result;
      },
      { step: "finalizeRequest", priority: "low", name: "docsHostingSample" }, // it sees the signed request
    );
  }

  #note({ input, request }: { input: { Key?: string }; request: SdkRequest }, noted: Noted): void {
    const scheme = noted.__smithy_context?.selectedHttpAuthScheme;
    const key = encodeKey(input.Key ?? "");
    if (noted.commandName !== "PutObjectCommand" || key === "" || scheme?.httpAuthOption.schemeId !== SCHEME)
      return;
    const isKnown = Object.keys(request.query ?? {}).every((name) => name === "x-id");
    if (!request.path.endsWith(`/${key}`) || !isKnown || request.headers["x-amz-s3session-token"]) return;
    const shared = Object.entries(request.headers).filter(([name]) => !OWN_HEADERS.test(name.toLowerCase()));
    const root = request.path.slice(0, -key.length);
    this.#sample = { request, root, headers: Object.fromEntries(shared), scheme };
  }

  /**
   * Sends an object.
   *
   * @param content whose SHA-256 may be another one: the store then refuses it
   * @returns its revision; `undefined` if the SDK is to send it, also if its answer was lost
   */
  async send(
    object: NewObject,
    content: Buffer,
    onlyIf: WriteCondition | undefined,
    hasChecksum: boolean,
  ): Promise<Revision | undefined> {
    const sample = this.#sample;
    if (sample === undefined || this.#failures >= MOST_FAILURES || content.length !== object.size)
      return undefined;
    try {
      const { signer, identity, httpAuthOption } = sample.scheme;
      const signed = await signer.sign(
        requestOf(sample, object, content, onlyIf, hasChecksum),
        identity,
        httpAuthOption.signingProperties ?? {},
      );
      const handler = this.#s3.config.requestHandler as Handler;
      const { response } = await handler.handle(signed, {});
      response.body.resume();
      const { etag } = response.headers;
      if (response.statusCode === 200 && etag !== undefined) return etag;
    } catch {
      // the SDK finds out what is wrong
    }
    this.#failures++;
    this.#sample = undefined;
    return undefined;
  }

  /** The connections end with the SDK's client. */
  close(): void {
    this.#signal.removeEventListener("abort", this.#stop);
  }

  /** Ends the connections: one listener for all requests, since each listener costs more than a signature. */
  readonly #stop = (): void => this.#s3.destroy();
}

function requestOf(
  { request, root, headers }: Sample,
  { key, size, sha256, headers: { contentType, cacheControl, contentEncoding } }: NewObject,
  content: Buffer,
  onlyIf: WriteCondition | undefined,
  hasChecksum: boolean,
): SdkRequest {
  const Request = request.constructor as new (fields: Partial<SdkRequest>) => SdkRequest;
  const { ContentMD5: md5 } = hasChecksum ? {} : contentMd5(content);
  const own: Record<string, string> = {
    "content-type": contentType,
    "cache-control": cacheControl,
    ...(contentEncoding !== undefined && { "content-encoding": contentEncoding }),
    "content-length": String(size),
    "x-amz-content-sha256": sha256,
    [`x-amz-meta-${DIGEST_NAME}`]: sha256,
    ...(hasChecksum && {
      "x-amz-sdk-checksum-algorithm": "SHA256",
      "x-amz-checksum-sha256": Buffer.from(sha256, "hex").toString("base64"),
    }),
    ...(md5 !== undefined && { "content-md5": md5 }),
    ...(onlyIf !== undefined &&
      (onlyIf === "absent" ? { "if-none-match": "*" } : { "if-match": onlyIf.revision })),
  };
  const path = root + encodeKey(key);
  return new Request({ ...request, path, query: {}, headers: { ...headers, ...own }, body: content });
}
