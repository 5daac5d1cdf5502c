import type { Bundle } from "../../inspection/bundle";
import type { OfflineSearch } from "../../offlineSearch/options";
import type { Base } from "../siteImage/siteImage";

/** The materials of a published site. */
export interface Origin {
  readonly bundle: Pick<Bundle, "format" | "sha256" | "version" | "jobId" | "domain">;
  /** Base URL of the service that exported it. Absent for a bundle file. */
  readonly serviceUrl?: string | undefined;
  /** The image that the site was added to. */
  readonly base?: Base | undefined;
  /** The search that was added to the site, and its version. */
  readonly search?: { readonly options: OfflineSearch; readonly version: string } | undefined;
}
