import { firstOf } from "../../../../base/runtime/messages/firstOf";
import type { Reporter } from "../../../../base/runtime/messages/reporter";
import { isImmutable } from "../../../inspection/immutableFiles";
import { revalidated } from "../fileHeaders";
import type { SiteObject } from "./siteObjects";
import type { SiteRecord } from "./siteRecord";

/** The objects of a site after the headers `immutable` were checked. */
export interface CheckedHashes {
  /** The objects, in the order of upload. */
  readonly stages: readonly (readonly SiteObject[])[];
  /** The paths of which no record knew it. */
  readonly falseHashes: readonly string[];
  /** All paths of which it is known, for the new record. */
  readonly revalidated: readonly string[];
}

/**
 * The objects of a site, without the header `immutable` for names that look like a hash of the content, but of which an earlier copy had
 * other content under the same name. This is remembered in the records of the copies.
 */
export function withoutFalseHashes(
  stages: readonly (readonly SiteObject[])[],
  records: readonly Pick<SiteRecord, "files" | "revalidated">[],
): CheckedHashes {
  const known = new Set(records.flatMap((record) => record.revalidated ?? []));
  const found: string[] = [];
  const checked = (object: SiteObject): SiteObject => {
    const { path, sha256 } = object;
    if (!isImmutable(path)) return object;
    const isOther = (before = ""): boolean => before !== "" && before !== sha256;
    if (!known.has(path) && records.some(({ files }) => isOther(files.get(path)?.sha256))) found.push(path);
    else if (!known.has(path)) return object;
    return { ...object, headers: revalidated(object.headers) };
  };
  return {
    stages: stages.map((stage) => stage.map(checked)),
    falseHashes: found.sort(),
    revalidated: [...known, ...found].sort(),
  };
}

/** Reports names that turned out to be no hashes. @param uri of the place */
export function reportFalseHashes(
  uri: string,
  found: readonly string[],
  { warn }: Pick<Reporter, "warn">,
): void {
  if (found.length === 0) return;
  warn(
    `below ${uri} files have other content than in an earlier copy, although they are named as if after their content: ${firstOf(found)}. ` +
      "From now on browsers ask for them each time. Browsers that have the earlier content keep it for up to a year: give the files " +
      "other names, or let the site's generator name them",
  );
}
