import { DestinationError } from "../words/errors";

/** What to do about what the system says. */
const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: "Make room on that disk, and run `pulumi up` again.",
  EDQUOT: "Make room within the quota of that disk, and run `pulumi up` again.",
  EROFS: "That disk can only be read: give a folder on another one.",
  EACCES: "Give the user that runs `pulumi up` the right to write there.",
  EPERM: "Give the user that runs `pulumi up` the right to write there.",
  ENOTDIR: "A part of that path is a file: give the path of a folder.",
  EEXIST: "A part of that path is a file: give the path of a folder.",
  ENAMETOOLONG: "Give a shorter path.",
};

/** What the system says of a folder, for people. What already is, stays as it is. */
export function diskFailure(error: unknown, folder: string, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined || !/^E[A-Z0-9]+$/.test(code)) return error;
  return new DestinationError(
    `the folder ${folder} cannot be used: ${message}`,
    REMEDIES[code] ?? "Mend what the system names, and run `pulumi up` again.",
  );
}
