import { Refusal } from "./refusal.ts";
import { unknownPaths } from "./site/pagePaths.ts";

/** Characters of a path that an error message repeats. */
const LONGEST_QUOTE = 100;

/**
 * The option that this service knows beside the domain: `paths`, the pages to export, next to `domain` or in an object
 * `exportOptions`. Other options are ignored.
 *
 * @returns undefined for all pages
 * @throws Refusal when the value is no list of pages of the source
 */
export async function readPaths(
  options: Readonly<Record<string, unknown>>,
  source: string,
): Promise<readonly string[] | undefined> {
  const { exportOptions = {} } = options;
  if (typeof exportOptions !== "object" || exportOptions === null || Array.isArray(exportOptions)) {
    throw new Refusal(400, "the field exportOptions must be an object");
  }
  const { paths } = { ...exportOptions, ...options } as { paths?: unknown };
  if (paths === undefined) return undefined;
  if (!Array.isArray(paths) || paths.length === 0 || !paths.every((path) => typeof path === "string")) {
    throw new Refusal(400, 'the field paths must be a list of at least one page, such as ["guides/one"]');
  }
  // the job reports an unreadable source, as it does without this option
  const [unknown] = await unknownPaths(source, paths).catch(() => []);
  if (unknown !== undefined) {
    throw new Refusal(
      400,
      `the field paths names a page that is not there: ${unknown.slice(0, LONGEST_QUOTE)}`,
    );
  }
  return paths;
}
