import type * as pulumi from "@pulumi/pulumi";

/** A site in an image, for an installation whose BundleCopy is in another stack. */
export interface SiteImage {
  /** `repository@sha256:…`: the output `image` of the BundleCopy. */
  image: pulumi.Input<string>;
  /** Whether the image itself serves the site: the destination of the BundleCopy has a `base`. @default true */
  runnable?: boolean | undefined;
  /** Label of the content: the output `version`. @default none: the chart's values have no version */
  version?: pulumi.Input<string> | undefined;
  /** Job that made the content: the output `jobId`. @default none: the chart's values have no job */
  jobId?: pulumi.Input<string | undefined> | undefined;
}
