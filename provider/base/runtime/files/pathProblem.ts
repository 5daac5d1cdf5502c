/**
 * Finds why a text cannot be the path of a file or folder on this machine. Addresses and `~` are valid names of folders, which nobody
 * means: `resolve` would make a folder of that name.
 *
 * @param example a path that is right
 */
export function pathProblem(text: string, what: string, example: string): string | undefined {
  if (text.trim() === "" || text.includes("\0")) return `must be the path of ${what}, such as "${example}"`;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    return `must be the path of ${what} on this machine, such as "${example}", and no address`;
  }
  if (/^~(?:[/\\]|$)/.test(text)) {
    return "must not begin with «~», which only a shell replaces: write the path of your home folder, in Node.js as os.homedir()";
  }
  return undefined;
}
