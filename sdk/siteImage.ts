import type * as pulumi from "@pulumi/pulumi";

/** What an installation needs of a site in an image that is not at hand as a BundleCopy, because another stack has it. */
export interface SiteImage {
  /** `repository@sha256:…`: the output `image` of the BundleCopy. */
  image: pulumi.Input<string>;
  /** Whether it serves the site by itself: the destination of the BundleCopy has a `base`. @default true */
  runnable?: boolean | undefined;
  /** Label of the content: the output of that name. @default none: the installation is not told */
  version?: pulumi.Input<string> | undefined;
  /** Job that made the content: the output of that name. @default none: the installation is not told */
  jobId?: pulumi.Input<string | undefined> | undefined;
}
