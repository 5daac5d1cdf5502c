import { DestinationError } from "../messages/errors";

/** The remedy for each error code of the system. */
const REMEDIES: Readonly<Record<string, (elsewhere: string) => string>> = {
  ENOSPC: () => "Free space on that disk, and run `pulumi up` again.",
  EDQUOT: () => "Free space within the quota of that disk, and run `pulumi up` again.",
  EFBIG: (elsewhere) => `Raise the file size limit (ulimit -f), or ${elsewhere}.`,
  EROFS: (elsewhere) => `That disk is read-only: ${elsewhere}.`,
  EACCES: (elsewhere) => `Give the user that runs \`pulumi up\` the right to write there, or ${elsewhere}.`,
  EPERM: (elsewhere) => `Give the user that runs \`pulumi up\` the right to write there, or ${elsewhere}.`,
  ENOENT: (elsewhere) => `Check that path, or ${elsewhere}.`,
  ENOTDIR: (elsewhere) => `A part of that path is a file: ${elsewhere}.`,
  EEXIST: (elsewhere) => `A part of that path is a file: ${elsewhere}.`,
  EISDIR: () => "A folder is where a file must be: move it away.",
  ELOOP: () => "A symbolic link is where a file must be, and is not followed: move it away.",
  EMFILE: () => "Too many files are open: raise the limit (ulimit -n).",
  ENAMETOOLONG: (elsewhere) => `That path is too long: ${elsewhere}.`,
};

/** What a path is, and how the user can choose another one. */
export interface DiskPlace {
  /** @default "folder" */
  readonly kind?: "folder" | "file";
  /** @default "give another folder" */
  readonly elsewhere?: string;
}

/**
 * Explains a system error about a folder or file. Returns other errors unchanged.
 */
export function diskFailure(
  error: unknown,
  path: string,
  signal: AbortSignal,
  { kind = "folder", elsewhere }: DiskPlace = {},
): unknown {
  if (signal.aborted) return signal.reason;
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (!/^E[A-Z0-9]+$/.test(code)) return error;
  return new DestinationError(
    `the ${kind} ${path} cannot be used: ${message}`,
    REMEDIES[code]?.(elsewhere ?? `give another ${kind}`) ??
      "Fix what the system names, and run `pulumi up` again.",
  );
}

/** Runs code that reads or writes a folder. @throws its error, converted by {@link diskFailure} */
export async function usingFolder<T>(folder: string, signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw diskFailure(error, folder, signal);
  }
}
