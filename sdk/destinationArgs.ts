import type * as pulumi from "@pulumi/pulumi";
import type {
  BucketEncryption,
  BucketInputs,
  DestinationInputs,
  Layout,
  RepositoryInputs,
} from "../provider/publishing/index";
import type { OneKindOf } from "./providedResource";

/** A bucket whose objects have a key of their own. */
interface BucketWithKey extends BucketInputs {
  readonly encryption: Exclude<BucketEncryption, "AES256">;
}

type Kinds = Exclude<DestinationInputs, BucketInputs> | BucketWithKey | Omit<BucketInputs, "kmsKeyId">;

/** A destination of copies: the fields of one kind. Each field may be an output. */
export type DestinationArgs = OneKindOf<Kinds>;

/** The destinations whose copies are images. */
export type RepositoryArgs = Extract<
  DestinationArgs,
  { repository: pulumi.Input<RepositoryInputs["repository"]> }
>;

/** The destinations whose copies are the files of a site. */
export type SiteArgs = Exclude<DestinationArgs, RepositoryArgs> & {
  readonly layout: "site" | pulumi.Output<Layout> | Promise<Layout>;
};
