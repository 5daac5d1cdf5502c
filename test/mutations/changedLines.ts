import { execFileSync } from "node:child_process";

/** The changes since the last release, and the last release. */
export interface Changes {
  /** How the release was found, for the user. */
  readonly since: string;
  /** The changed lines of each changed or new file, as `first-last`. */
  readonly lines: ReadonlyMap<string, readonly string[]>;
}

/**
 * The changes in these folders since the last release: the newest tag `vX.Y.Z` that is an ancestor, else the commit that last
 * changed the version in package.json. Uncommitted changes count. `undefined` in a clone without history.
 */
export function changesSinceRelease(folders: readonly string[]): Changes | undefined {
  const release = lastTag() ?? lastVersion();
  if (!release) return undefined;
  const { commit, since } = release;
  const format = ["--unified=0", "--find-renames=30%", "--no-color", "--no-ext-diff"];
  const lines = new Map(changedFiles(git("diff", ...format, commit, "--", ...folders)));
  for (const file of namesIn(git("ls-files", "--others", "--exclude-standard", "--", ...folders))) {
    lines.set(file, ["1-1000000"]);
  }
  return { since, lines };
}

/**
 * The changed lines of each existing file, as `first-last`. A file that only moved has none.
 *
 * @param diff as `git diff --unified=0 --find-renames` writes it
 */
export function changedFiles(diff: string): [file: string, lines: string[]][] {
  return diff.split(/^diff --git /m).flatMap((part) => {
    const [, file] = /^\+\+\+ b\/(.+?)\t?$/m.exec(part) ?? [];
    return file === undefined ? [] : [[file, changedLines(part)] satisfies [string, string[]]];
  });
}

function changedLines(diff: string): string[] {
  return [...diff.matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm)]
    .map(([, first, count = "1"]) => ({ first: Number(first), count: Number(count) }))
    .filter(({ count }) => count > 0) // a removal has no lines
    .map(({ first, count }) => `${first.toString()}-${(first + count - 1).toString()}`);
}

const namesIn = (list: string): string[] => list.split("\n").filter((name) => name !== "");

interface Release {
  commit: string;
  since: string;
}

function lastTag(): Release | undefined {
  try {
    const tag = git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*.[0-9]*.[0-9]*").trim();
    return { commit: tag, since: `the tag ${tag}` };
  } catch {
    return undefined; // there is none
  }
}

/** The first commit of a shallow clone changes everything, so that it is useless. */
function lastVersion(): Release | undefined {
  try {
    const [commit = "", parents = ""] = git(
      ...["log", "-1", "--format=%H%n%P", '-G"version":', "--", "package.json"],
    ).split("\n");
    return parents === ""
      ? undefined
      : { commit, since: `the last change of the version (${commit.slice(0, 7)})` };
  } catch {
    return undefined; // no repository
  }
}

function git(...args: string[]): string {
  return execFileSync("git", args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 2 ** 28,
  });
}
