/** Whether a path matches one of the patterns. */
export function isExcluded(path: string, patterns: readonly string[] = []): boolean {
  return patterns.some((pattern) => {
    const source = pattern
      .replace(/^\//, "")
      .replace(/[.+^${}()|[\]\\]/g, "\\$&")
      .replace(/\*\*?|\?/g, (wildcard) => (wildcard === "**" ? ".*" : wildcard === "*" ? "[^/]*" : "[^/]"));
    return new RegExp(`^${source}$`, "su").test(path);
  });
}
