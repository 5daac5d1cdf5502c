/**
 * What is a hash of 8 characters of base64url, and not made of words: `MyScreen`, `Win11Pro` and `ToDoList` are no hashes. Of scripts,
 * styles and fonts fewer are doubted: an open page may still load them, and people name pictures and documents in more ways.
 */
const BASE64URL = [
  String.raw`(?=[\w-]{8}\.)(?=[^.]*[A-Z])(?=[^.]*[a-z])`,
  // words, short words, acronyms, numbers
  String.raw`(?!(?=[0-9A-Za-z])([A-Z]?[a-z]{2,}|[TGDSNHWL]o|[BMP]y|[BMHW]e|[IO][fnost]|[AU][a-z]|[aeiou](?=[A-Z])|O(?=A)|[A-Z]{2,}|[0-9]+|[vx](?=[0-9])|[DV][bs]|[JT]s|[_-])+\.)`,
  // of files that people name: also single letters, and any two letters of which one is a vowel
  String.raw`(?!([A-Za-z]?[a-z]{2,}|[A-Z]{2,}|[0-9]+[a-z]?|[ievx](?=[A-Z0-9])|[A-Z](?=[A-Z0-9.])|[A-Za-z][aeiouy]|[AEIOUaeiou][a-z]|Mc|[DV][bsm]|[JT]s|[_-])+\.(?!([a-z]+\.)?([cm]?js|css|woff2?)(\.map)?$))`,
  String.raw`[\w-]{8}(\.[a-z]+)?\.(?!html?$)[0-9a-z]+$`,
].join("");

/**
 * The names that count as named after their content. This is the only table: buckets and images use it, and a test compares the chart's
 * `web.immutablePattern` with it. A name is a hash only if it has the form that a generator writes, at the place where that writes it.
 */
const ROWS = {
  /** Turbopack: 13 digits of base 38, of which the first is small. */
  "Next.js": String.raw`/_next/static/(chunks|css|media)/(.*[-./])?[0-3][0-9a-z_-]{12}(\.[a-z]+)?\.[0-9a-z]+$`,
  /** webpack: a file of which the hash is the whole name, or that of a font. */
  "Next.js with webpack": String.raw`/_next/static/(chunks|css|media)/(.*[-./])?[0-9a-f]{16}(-s)?(\.p)?(\.[a-z]+)?\.[0-9a-z]+$`,
  /** Files of a build: its id is 21 random characters. An id that somebody chose may have another content at the next build. */
  "builds of Next.js": String.raw`/_next/static/(?=[\w-]{21}/)(?=[^/]*[A-Z])(?=[^/]*[a-z])(?=[^/]*[0-9])(?!([A-Z]?[a-z]{2,}|[A-Z]{2,}|[0-9]+|v(?=[0-9])|[_-])+/)[\w-]{21}/_[A-Za-z]+Manifest\.js$`,
  /**
   * Hexadecimal digits that are neither the end of a UUID, nor a date, nor words such as `face2face`, nor the digest of a diagram's source:
   * what draws it may change.
   */
  hexadecimal:
    String.raw`(?<!-[0-9a-f]{4})(?<!/graphviz|/plantuml|/mermaid|/diag|/inheritance|-md5)[-.](?=[0-9a-f]*([0-9][a-f]+[0-9]|[a-f][0-9]+[a-f]))` +
    String.raw`(?!(19|20)[0-9]{2}|[0-9a-f]*20[0-9]{2}[01][0-9][0-3][0-9]|[0-3][0-9][0-3][0-9]20[0-9]{2}|([a-f]{4,}[0-9]{1,2})+([a-f]{4,})?\.)` +
    String.raw`[0-9a-f]{8,64}(\.[A-Za-z]+){0,2}\.(?!html?$)[0-9a-z]+$`,
  "Vite, VitePress, Astro, Nuxt, SvelteKit": String.raw`/(assets/.*[-.]|(_astro|_nuxt|_app/immutable)/(.*[-./])?)${BASE64URL}`,
};

/** The paths of files that are named after their content, as generators write them. */
export const IMMUTABLE = new RegExp(Object.values(ROWS).join("|"));

/** Whether the content at a path never changes, judged by its name. */
export function isImmutable(path: string): boolean {
  return IMMUTABLE.test(`/${path}`);
}
