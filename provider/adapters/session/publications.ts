import { Semaphore } from "../../base/runtime/concurrency/semaphore";
import { homeFolder } from "../../base/runtime/files/homeFolder";
import type { SharedByPublications } from "../../copies/publication/context";
import { PublicationFolder } from "../../copies/publication/publicationRecords";
import { DeclaredPlaces } from "../../resource/declaredPlaces";
import type { ConfigurationSource } from "../../service/configuration";

/** Maximum number of concurrent downloads: each needs a thread and about ten megabytes, and a few use all bandwidth. */
const MAX_DOWNLOADS = 8;

/** Maximum number of bundles that are inspected and published at the same time: more need memory, and are not faster. */
const MAX_PUBLICATIONS = 4;

/** What the operations on copies and kits of one session share. */
export interface Publications extends SharedByPublications {
  readonly publicationRecords: PublicationFolder;
  readonly declaredPlaces: DeclaredPlaces;
}

/** @param engineAddress the address of the engine whose operation the session belongs to */
export function publications(
  { environment }: Pick<ConfigurationSource, "environment">,
  engineAddress = (): string => "",
): Publications {
  return {
    downloads: new Semaphore(MAX_DOWNLOADS),
    publications: new Semaphore(MAX_PUBLICATIONS),
    publicationRecords: new PublicationFolder(() => homeFolder(environment, "published")),
    declaredPlaces: new DeclaredPlaces(() => homeFolder(environment, "declared"), engineAddress),
  };
}
