import { isEdition } from "../copyLayout";
import type { DestinationContext } from "../destination";
import type { KeepingInputs } from "./inputs";
import type { ObjectStore } from "./objectStore";

/** Where in a bucket copies are kept, and how: the inputs that every store has. */
export type BucketFields = KeepingInputs & { readonly prefix?: string };

/** Where copies are in a bucket, during one operation: records and marks work with it. */
export class BucketPlace {
  readonly objects: ObjectStore;
  readonly fields: BucketFields;
  readonly context: DestinationContext;

  constructor(objects: ObjectStore, fields: BucketFields, context: DestinationContext) {
    this.objects = objects;
    this.fields = fields;
    this.context = context;
  }

  /** The place in messages. */
  get uri(): string {
    return placeUri(this.objects.uri, this.fields.prefix);
  }

  /** The key of a name below the prefix; for "", what all keys begin with. */
  key(name: string): string {
    const { prefix = "" } = this.fields;
    return prefix === "" ? name : `${prefix}/${name}`;
  }

  /** The address of an object in messages. */
  uriOf(key: string): string {
    return `${this.objects.uri}/${key}`;
  }

  /** Removes the objects of these names, regardless of who wrote them. One that is already gone is not an error. */
  remove(names: readonly string[]): Promise<void> {
    return this.objects.remove(names.map((name) => this.key(name)));
  }

  /** The address of a copy by its item: an archive's name, or a site's edition. */
  readonly itemUri = (item: string): string =>
    isEdition(item) ? `${this.uri}/#sha256:${item}` : this.uriOf(this.key(item));
}

/** The address of a prefix in a bucket. */
export const placeUri = (bucket: string, prefix = ""): string =>
  prefix === "" ? bucket : `${bucket}/${prefix}`;
