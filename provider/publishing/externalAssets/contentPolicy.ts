/**
 * A content security policy that also admits the copy's own host wherever it admits a host whose files are now there.
 *
 * @param origins of what was replaced
 */
export function admittingSelf(policy: string, origins: ReadonlySet<string>): string {
  return policy
    .split(";")
    .map((directive) => {
      const [name = "", ...sources] = directive.trim().split(/\s+/);
      if (!/-src(?:-elem|-attr)?$/i.test(name) || sources.some((each) => /^(?:'self'|\*)$/i.test(each))) {
        return directive;
      }
      const admits = sources.some((source) => [...origins].some((origin) => admitsOrigin(source, origin)));
      return admits ? `${directive.trimEnd()} 'self'` : directive;
    })
    .join(";");
}

/**
 * A content security policy that also admits images in addresses wherever it admits images of a host whose images are now in styles.
 *
 * @param origins of what stands in styles
 */
export function admittingContent(policy: string, origins: ReadonlySet<string>): string {
  const directives = policy.split(";").map((each) => each.trim().split(/\s+/));
  const sourcesOf = (wanted: string): string[] | undefined =>
    directives.find(([name = ""]) => name.toLowerCase() === wanted)?.slice(1);
  const own = sourcesOf("img-src");
  const sources = own ?? sourcesOf("default-src") ?? [];
  const admits = sources.some(
    (source) => source === "*" || [...origins].some((origin) => admitsOrigin(source, origin)),
  );
  if (origins.size === 0 || !admits || sources.includes("data:")) return policy;
  // only for images: a script in an address must stay refused
  if (own === undefined) return `${policy.trimEnd().replace(/;$/, "")}; img-src ${sources.join(" ")} data:`;
  return policy
    .split(";")
    .map((each) => (/^\s*img-src\s/i.test(each) ? `${each.trimEnd()} data:` : each))
    .join(";");
}

function admitsOrigin(source: string, origin: string): boolean {
  const { protocol, host, hostname } = new URL(origin);
  /** A source with `http:` admits `https:`, too. */
  const isScheme = (each: string): boolean =>
    each === protocol || (each === "http:" && protocol === "https:");
  if (source.endsWith(":")) return isScheme(source.toLowerCase());
  const [, scheme = protocol, pattern = ""] =
    /^(?:([a-z][a-z0-9+.-]*:)\/\/)?([^/]+)/i.exec(source.toLowerCase()) ?? [];
  if (!isScheme(scheme)) return false;
  const bare = pattern.replace(/:(?:\d+|\*)$/, "");
  if (bare.startsWith("*.")) return hostname.endsWith(bare.slice(1));
  return pattern === host || bare === hostname;
}
