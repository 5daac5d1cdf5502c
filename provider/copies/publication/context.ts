import type { Context } from "../../resource/context";
import type { DownloadContext } from "../download/download";
import type { PublicationFolder } from "./publicationRecords";

/** What the operations of a process that publish share, beside what all its operations share. */
export interface SharedByPublications extends Pick<DownloadContext, "downloads"> {
  /** Stores publications until the state has them. */
  readonly publicationRecords: Omit<PublicationFolder, "operationEnded">;
}

/** Every external dependency of an operation on copies or kits. */
export type PublicationContext = Context & SharedByPublications;
