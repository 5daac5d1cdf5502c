import type { MadeAddition } from "../../additions/additions";
import type { FetchedAsset } from "../../externalAssets/fetchedAsset";
import type { Bundle } from "../../inspection/bundle";
import type { Base } from "../siteImage/siteImage";

/** The materials of a published site. */
export interface Origin {
  readonly bundle: Pick<Bundle, "format" | "sha256" | "version" | "jobId" | "domain">;
  /** Base URL of the service that exported it. Absent for a bundle file. */
  readonly serviceUrl?: string | undefined;
  /** The image that the site was added to. */
  readonly base?: Base | undefined;
  /** What was added to the site. @default nothing */
  readonly additions?: readonly MadeAddition[] | undefined;
  /** What the site has of other hosts. @default nothing */
  readonly fetched?: readonly FetchedAsset[] | undefined;
}
