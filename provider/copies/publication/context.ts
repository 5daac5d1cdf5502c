import type { Semaphore } from "../../base/runtime/concurrency/semaphore";
import type { DownloadContext } from "../../publishing/index";
import type { Context } from "../../resource/context";
import type { DeclaredPlaces } from "../../resource/declaredPlaces";
import type { PublicationFolder } from "./publicationRecords";

/** What the operations of a process that publish share, beside what all its operations share. */
export interface SharedByPublications extends Pick<DownloadContext, "downloads"> {
  /**
   * Limits the bundles that this process inspects and publishes at the same time: each needs tens of megabytes, for the index of a search
   * many, and one alone uses a whole core.
   */
  readonly publications: Semaphore;
  /** The places of the resources that the running program declares. */
  readonly declaredPlaces: Pick<DeclaredPlaces, "isDeclared">;
  /** Stores publications until the state has them. */
  readonly publicationRecords: Omit<PublicationFolder, "operationEnded">;
}

/** Every external dependency of an operation on copies or kits. */
export type PublicationContext = Context & SharedByPublications;
