import { BundleRefusedError } from "../../runtime/messages/errors";
import { truncate, printable } from "../../runtime/messages/plainText";
import texts from "./remedies.json";

/** What to do about a refused bundle: whole sentences. It depends on who can mend the bundle. */
export interface Remedy {
  /** For the bundle of an export. */
  readonly exported: string;
  /** For a file that its owner packed: which option of the packer. */
  readonly packed: string;
}

/** Packs a folder in the way that every rule accepts. */
const PACK = "`tar -czf site.tar.gz -C FOLDER .`";

type RemedyName = { [Exported in keyof typeof texts]: keyof (typeof texts)[Exported] }[keyof typeof texts];

/** The remedies, mostly for entries that packers write only with, or without, one of their options. */
export const REMEDIES = Object.fromEntries(
  Object.entries(texts).flatMap(([exported, group]) =>
    Object.entries(group).map(([name, packed]) => [
      name,
      { exported, packed: packed.replace("{pack}", PACK) },
    ]),
  ),
) as Readonly<Record<RemedyName, Remedy>>;

/**
 * For a damaged bundle; for what an archive contains only if its packer, or somebody after it, made it strange; and for names that no
 * destination accepts.
 */
export const { broken: BROKEN, unsafe: UNSAFE, rename: RENAME } = REMEDIES;

/** The remedy for an archive that another program than gzip compressed, or none. @param unpack prints the tar */
export function recompress(unpack: string): Remedy {
  return { exported: BROKEN.exported, packed: `Compress it with gzip: \`${unpack} | gzip > site.tar.gz\`.` };
}

/** The remedy for an exceeded limit. */
export function raise(limit: string): Remedy {
  const remedy = `If the site is meant to be that large, raise \`limits.${limit}\`.`;
  return { exported: remedy, packed: remedy };
}

/** The remedies of refusals for the owner of a packed file. Refusals have those of an export, until it is known whose bundle it is. */
const PACKED = new WeakMap<BundleRefusedError, string>();

/** @param problem the violated rule, as the end of a sentence that starts with «it» */
export function refusal(problem: string, remedy: Remedy): BundleRefusedError {
  return refused(`the bundle is refused: it ${problem}`, remedy);
}

/** @param problem as the end of a sentence that starts with the entry's name */
export function entryRefusal(name: string, problem: string, remedy: Remedy): BundleRefusedError {
  return refused(`the bundle is refused: its entry «${shown(name)}» ${problem}`, remedy);
}

function refused(message: string, { exported, packed }: Remedy): BundleRefusedError {
  const error = new BundleRefusedError(message, exported);
  PACKED.set(error, packed);
  return error;
}

/**
 * Runs what may refuse a bundle that its owner packed: the refusal says how to pack it.
 *
 * @throws BundleRefusedError; the error of `read`
 */
export async function forPacker<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const packed = error instanceof BundleRefusedError ? PACKED.get(error) : undefined;
    throw packed === undefined ? error : new BundleRefusedError((error as Error).message, packed);
  }
}

/** A name from an archive, shortened and escaped for a message. */
export function shown(name: string): string {
  return printable(truncate(name, 120));
}
