import { parseDuration } from "../../../runtime/time/duration";
import { Ownership } from "../../ownership/ownership";
import { isEdition } from "../copyLayout";
import type { DestinationContext, Layout } from "../destination";
import { bucketMarks } from "./bucketMarks";
import { LONGEST_LINK_LIFE_MS } from "./inputs";
import type { ObjectStore } from "./objectStore";

/** Where in a bucket copies are kept, and how. */
export interface BucketFields {
  readonly prefix?: string | undefined;
  readonly layout?: Layout | undefined;
  /** Whether pages are stored a second time, without their extension. @default true */
  readonly cleanUrls?: boolean | undefined;
  /** @default links are not signed */
  readonly linkLife?: string | undefined;
}

/** Where copies are in a bucket, during one operation: layouts, records and marks work with it. */
export class BucketPlace {
  readonly objects: ObjectStore;
  readonly context: DestinationContext;
  readonly ownership: Ownership;
  readonly hasCleanUrls: boolean;
  /** How long a link to a copy lives, in milliseconds. Undefined: links are not signed. */
  readonly linkLifeMs: number | undefined;
  readonly #prefix: string;

  constructor(
    objects: ObjectStore,
    { prefix = "", cleanUrls = true, linkLife }: BucketFields,
    context: DestinationContext,
  ) {
    this.objects = objects;
    this.context = context;
    this.ownership = new Ownership(bucketMarks(this), context, (item) => this.itemUri(item));
    this.hasCleanUrls = cleanUrls;
    this.linkLifeMs = linkLife === undefined ? undefined : (parseDuration(linkLife) ?? LONGEST_LINK_LIFE_MS);
    this.#prefix = prefix;
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

  /** The address of a copy by its item: an archive's name, or a site's edition. */
  itemUri(item: string): string {
    return isEdition(item) ? `${this.uri}/#sha256:${item}` : this.uriOf(this.key(item));
  }
}

/** The address of a prefix in a bucket. */
export const placeUri = (bucket: string, prefix: string): string =>
  prefix === "" ? bucket : `${bucket}/${prefix}`;
