import { basename } from "node:path/posix";
import { InputError } from "../../base/runtime/messages/errors";

/** Whether helm leaves a file or folder out of a chart. */
export type Ignore = (path: string, isFolder: boolean) => boolean;

/** What helm always leaves out, see `AddDefaults` in its `pkg/ignore/rules.go`. */
const DEFAULT = "templates/.?*";

/**
 * Parses `.helmignore` as helm does: like `.gitignore`, but without `**`, and a rule with `!` leaves out everything that it
 * does *not* match. See https://helm.sh/docs/chart_template_guide/helm_ignore_file/
 *
 * @throws InputError for a rule that helm refuses
 */
export function helmIgnore(text: string): Ignore {
  const rules = [...text.split(/\r?\n/), DEFAULT].flatMap(ruleOf);
  return (path, isFolder) => rules.some((leavesOut) => leavesOut(path, isFolder));
}

function ruleOf(line: string): Ignore[] {
  const text = line.replace(/^\ufeff/, "").trim();
  if (text === "" || text.startsWith("#")) return [];
  if (text.includes("**")) {
    throw new InputError(
      `.helmignore of the chart has the rule ${JSON.stringify(text)}: helm does not support **`,
      "Write the rule without it.",
    );
  }
  const isNegated = text.startsWith("!");
  const plain = isNegated ? text.slice(1) : text;
  const isOfFolders = plain.endsWith("/");
  const pattern = isOfFolders ? plain.slice(0, -1) : plain;
  const expression = expressionOf(pattern.replace(/^\//, ""));
  const ofName = !pattern.includes("/");
  return [
    (path, isFolder) => {
      const isMatch = (isFolder || !isOfFolders) && expression.test(ofName ? basename(path) : path);
      return isMatch !== isNegated;
    },
  ];
}

/** Go's `filepath.Match`: `*`, `?`, `[a-z]`, `[^a-z]`, and `\` to escape a character. @throws InputError */
function expressionOf(pattern: string): RegExp {
  const source = pattern.replace(
    /\\(.)|\[(\^?)((?:\\.|[^\]\\])+)\]|(\*)|(\?)|([\s\S])/gu,
    (_, escaped?: string, not?: string, set?: string, star?: string, one?: string, other?: string) => {
      if (set !== undefined) return `(?!/)[${not ?? ""}${set.replace(/\\(.)/gsu, inSet)}]`;
      if (star !== undefined) return "[^/]*";
      if (one !== undefined) return "[^/]";
      return (escaped ?? other ?? "").replace(/[\\^$.*+?()[\]{}|/]/, "\\$&");
    },
  );
  try {
    return new RegExp(`^${source}$`, "su");
  } catch {
    throw new InputError(
      `.helmignore of the chart has an unusable rule: ${JSON.stringify(pattern)}`,
      "Fix it.",
    );
  }
}

/** An escaped character of a set: itself, also where it means something else in an expression, as in `\d`. */
function inSet(_: string, character: string): string {
  return character.replace(/[\\\]^-]/, "\\$&");
}
