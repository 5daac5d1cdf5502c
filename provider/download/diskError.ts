import { DownloadError } from "../words/errors";

/** What to do about trouble with the disk, by its code. */
const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: "Make room on that disk and run `pulumi up` again: it goes on from what has arrived.",
  EDQUOT: "The disk quota is used up: make room and run `pulumi up` again, it goes on from what has arrived.",
  EFBIG: "Files of this size are not allowed there: raise the limit (ulimit -f), or use another disk.",
  EROFS: "That disk is read-only: set PULUMI_HOME to a folder that can be written.",
  EACCES: "Give this user the right to read and write there, or set PULUMI_HOME to another folder.",
  EPERM: "Give this user the right to read and write there, or set PULUMI_HOME to another folder.",
  ENAMETOOLONG: "The path is too long for that disk: set PULUMI_HOME to a folder with a shorter path.",
  ENOTDIR: "Something on this path is a file where a folder is needed: move it away.",
  EEXIST: "A file is where a folder is needed: move it away.",
  EISDIR: "A folder is where a file is needed: move it away.",
  ELOOP: "A symbolic link is where a file is needed, and is not followed: move it away.",
  EMFILE: "Too many files are open: raise the limit (ulimit -n).",
  ENOENT: "Check that nothing else removes files there.",
};

/** A file or folder of this machine cannot be used. Errors that the file system did not make are given back as they are. */
export function diskError(error: unknown, what: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return error;
  return new DownloadError(`${what} (${code})`, REMEDIES[code] ?? "Check that disk.");
}
