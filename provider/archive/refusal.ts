import { BundleRefusedError } from "../messages/errors";
import { cut, printable } from "../messages/plainText";

/** What to do about a bundle that is damaged. */
export const BROKEN = `Run \`pulumi up\` again; if the bundle is as broken then, export the site again.`;

/** What to do about a bundle that holds what no export should. */
export const UNSAFE =
  "Export the site again; if the next bundle holds it, too, tell those who run the service.";

/** What to do about names that not every system can keep. */
export const RENAME = "Rename that page or file in the site's sources and export again.";

/** What to do about a limit. */
export function raise(limit: string): string {
  return `If the site is meant to be that large, raise \`limits.${limit}\`.`;
}

/** @param problem the rule that the bundle breaks, as the end of a sentence that begins with «it» */
export function refusal(problem: string, remedy: string): BundleRefusedError {
  return new BundleRefusedError(`the bundle is refused: it ${problem}`, remedy);
}

/** @param problem as the end of a sentence that begins with the entry's name */
export function entryRefusal(name: string, problem: string, remedy: string): BundleRefusedError {
  return new BundleRefusedError(`the bundle is refused: its entry «${shown(name)}» ${problem}`, remedy);
}

/** A name out of an archive, fit for a message. */
export function shown(name: string): string {
  return printable(cut(name, 120));
}
