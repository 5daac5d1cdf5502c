import { BundleRefusedError } from "../messages/errors";
import { truncate, printable } from "../messages/plainText";

/** The remedy for a damaged bundle. */
export const BROKEN = `Run \`pulumi up\` again; if the bundle is still broken, export the site again.`;

/** The remedy for a bundle with content that no export should have. */
export const UNSAFE =
  "Export the site again. If the next bundle contains it, too, report it to the service's support.";

/** The remedy for names that some systems do not allow. */
export const RENAME = "Rename that page or file in the site's sources and export again.";

/** The remedy for an exceeded limit. */
export function raise(limit: string): string {
  return `If the site is meant to be that large, raise \`limits.${limit}\`.`;
}

/** @param problem the violated rule, as the end of a sentence that starts with «it» */
export function refusal(problem: string, remedy: string): BundleRefusedError {
  return new BundleRefusedError(`the bundle is refused: it ${problem}`, remedy);
}

/** @param problem as the end of a sentence that starts with the entry's name */
export function entryRefusal(name: string, problem: string, remedy: string): BundleRefusedError {
  return new BundleRefusedError(`the bundle is refused: its entry «${shown(name)}» ${problem}`, remedy);
}

/** A name from an archive, shortened and escaped for a message. */
export function shown(name: string): string {
  return printable(truncate(name, 120));
}
