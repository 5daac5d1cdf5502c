import type { IncomingMessage } from "node:http";
import type { TestContext } from "vitest";
import type { DestinationInputs } from "../../../provider/publishing/destinations/inputs.ts";
import type { Traffic } from "../traffic.ts";

/** A request as it reached the store. */
export interface SeenRequest {
  readonly method: string;
  /** Below the bucket. */
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  /** The key of the object whose content it sends. */
  readonly sent?: string | undefined;
}

/** Faults of a request. */
export type Spoiled =
  /** The store answers that it is too busy. */
  | "slowDown"
  /** The store answers that the credentials lack the right. */
  | "denied"
  /** The connection ends after a part of the body. */
  | "cut"
  /** The store executes it, but its answer is lost. */
  | "lost"
  /** Nothing happens any more. */
  | "stuck"
  /** One byte of the body is changed. */
  | "changed"
  | undefined;

/** Headers of an object. */
export interface SeenHeaders {
  readonly contentType?: string | undefined;
  readonly cacheControl?: string | undefined;
  readonly contentEncoding?: string | undefined;
  readonly contentDisposition?: string | undefined;
}

/** An object as another program of the store reads it. */
export interface SeenObject extends SeenHeaders {
  readonly content: Buffer;
  readonly metadata: Readonly<Record<string, string>> | undefined;
  /** What the store verified the content by. */
  readonly checksum: string | undefined;
}

/** A bucket in a store on this machine, behind a proxy that adds the given faults. */
export interface BucketStore {
  /** Of the store, at the proxy. */
  readonly endpoint: string;
  /** The fields of a destination that name the bucket. */
  readonly place: DestinationInputs;
  /** The bucket in addresses of copies, as `uri` begins. */
  readonly uri: string;
  /** Where objects are found without a signature. */
  readonly address: string;
  /** All requests so far. */
  readonly requests: readonly SeenRequest[];
  readonly traffic: Traffic;
  /** Chooses the fault of each request. */
  spoil: (request: SeenRequest) => Spoiled;

  // The bucket as others see and change it, with none of the provider's code.
  put(key: string, content: string): Promise<void>;
  remove(key: string): Promise<void>;
  /** Changes headers of an object, as consoles do: its content stays, and so do the headers that are not named. */
  setHeaders(key: string, headers: SeenHeaders): Promise<void>;
  read(key: string): Promise<SeenObject>;
  /** All keys with a prefix, sorted. */
  keys(prefix?: string): Promise<string[]>;
  /** The keys of uploads that were neither completed nor aborted. */
  openUploads(): Promise<string[]>;
  /** Leaves an upload as a run does that was killed after these parts. @param sha256 in its metadata */
  leaveUpload(key: string, parts: readonly Buffer[], sha256?: string): Promise<void>;
}

/** One protocol: a row of the table over which the tests of buckets run. */
export interface StoreKind {
  readonly name: string;
  /** The credentials, as a process finds them that copies to the store. */
  readonly environment: Readonly<Record<string, string>>;
  /** The variable among them that is secret. */
  readonly secret: string;
  /** The method of the request that describes an object, and of the one that lists them. */
  readonly compareMethods: readonly string[];
  /** What {@link SeenObject.checksum} is after one request, and after several. */
  readonly checksum: { readonly whole: RegExp; readonly parts: RegExp };
  /** It does not list uploads that were neither completed nor aborted. */
  readonly hidesUploads?: true;
  /** It asks for no credentials, and refuses no link whose time is over. */
  readonly isOpen?: true;
  /** Whether `guide` may be beside `guide/index.html`. */
  readonly hasKeysBesideFolders: boolean;
  /** Whether one request removes several objects. */
  readonly removesLists: boolean;
  /** Wrong inputs or variables, and what the provider says. */
  readonly refusals: readonly {
    readonly name: string;
    readonly place?: object;
    readonly environment?: Readonly<Record<string, string | undefined>>;
    readonly message: RegExp;
  }[];
  /** Starts a store with one bucket, until the test ends. @param host address at which it is reached */
  start(context: Pick<TestContext, "onTestFinished">, host?: string): Promise<BucketStore>;
}
