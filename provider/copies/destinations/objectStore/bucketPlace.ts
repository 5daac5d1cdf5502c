import type { DestinationContext } from "../destination";
import type { ObjectStore } from "./objectStore";

/** Where copies are in a bucket, during one operation: layouts, records and marks work with it. */
export class BucketPlace {
  readonly objects: ObjectStore;
  readonly context: DestinationContext;
  /** How long a link to a copy lives, in milliseconds. Undefined: links are not signed. */
  readonly linkLifeMs: number | undefined;
  readonly #prefix: string;

  /** @param prefix of all keys, without a slash at its end */
  constructor(
    objects: ObjectStore,
    prefix: string,
    linkLifeMs: number | undefined,
    context: DestinationContext,
  ) {
    this.objects = objects;
    this.#prefix = prefix;
    this.linkLifeMs = linkLifeMs;
    this.context = context;
  }

  /** The place in messages. */
  get uri(): string {
    return placeUri(this.objects.uri, this.#prefix);
  }

  /** The key of a name below the prefix; for "", what all keys begin with. */
  key(name: string): string {
    return this.#prefix === "" ? name : `${this.#prefix}/${name}`;
  }

  /** The address of an object in messages. */
  uriOf(key: string): string {
    return `${this.objects.uri}/${key}`;
  }
}

/** The address of a prefix in a bucket. */
export const placeUri = (bucket: string, prefix: string): string =>
  prefix === "" ? bucket : `${bucket}/${prefix}`;
