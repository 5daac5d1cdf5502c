import { rename, rm, symlink } from "node:fs/promises";
import { DestinationError } from "../messages/errors";

/** Error codes of systems and file systems that have no symbolic links, or do not let the user create one. */
const NOT_ALLOWED = ["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"];

/**
 * Creates a symbolic link to a folder.
 *
 * @param target relative to the folder of the link; it need not exist yet
 * @throws DestinationError if links cannot be created there; the error of the file system
 */
export async function linkFolder(
  target: string,
  path: string,
  create: typeof symlink = symlink,
): Promise<void> {
  try {
    await create(target, path, "dir"); // only Windows distinguishes links to folders
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (!NOT_ALLOWED.includes(code)) throw error;
    throw new DestinationError(
      `a symbolic link cannot be created: ${message}`,
      'Use a file system that has symbolic links (on Windows, turn on Developer Mode), or `layout: "archive"`.',
    );
  }
}

/**
 * Moves a link to a name that another link may have. On Windows, where a rename does not replace a link to a folder, the other
 * link is removed first: the name is missing for a moment.
 */
export async function replaceLink(from: string, to: string, move: typeof rename = rename): Promise<void> {
  try {
    await move(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
    await rm(to, { force: true });
    await move(from, to);
  }
}
