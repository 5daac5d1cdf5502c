/** A word: it has a vowel. Random letters often have none. */
const WORD = "(?=[A-Z]?[a-z]*[aeiouy]|[AEIOUY])[A-Z]?[a-z]{2,}";
const ABBREVIATION = [
  "([Hh]tm|[Xx]m|[Ss]q|[Ss]s|[Tt]l)[lsh]|[Hh]ttps?|[Cc](ss|md|fg|tx)|[Tt](cp|xt)|[DdLl](ns|st|td)|[Nn](pm|th)|[Pp](ng|df|tr|kg|wd|hp)",
  "[Ss](vg|rc|tr|td|mtp)|[Gg]?[Rr]pc|[Bb]tn|[Mm](sg|qtt|rs)|[Ff]mt|[Vv]pn|[Rr]gb",
].join("|");
/** `ToDo`, `MyMap`, `BeIn`, `UserId`, `IsA`, `Db`, `Js`, `OAuth`, `v2`. */
const SHORT_WORD =
  "[TGDSNHWL]o|[BMP]y|[BMHW]e|[IO][dfknopst]|[AUE][a-z]|[DV][bsm]|[JT]s|[FV]n|[QS]t|[PB]g|Vk|M[cd]|Tv|Cn|Bd|Lt|O(?=A)|[vx](?=[0-9])";

/** What names are made of that people give. */
const PARTS_OF_NAMES = [
  WORD,
  ABBREVIATION,
  SHORT_WORD,
  "[a-z](?=[A-Z][a-z]{2})", // xAxis
  "(?<![0-9A-Za-z])[a-z]{2,3}(?=[A-Z][a-z]{2})", // dbHandle
  "[aeiou](?=[A-Z])", // iOS
  "[A-Z]{2,}",
  "[A-Z](?=[0-9]+[A-Z][a-z]{2})", // S3Bucket
  "(?<=[a-z]{3})[A-Z](?=\\.)", // VariantA
  "[0-9]+",
  "[0-9][DGKMms](?![a-z])", // Vector3D, iPhone5s
  "[_-]",
].join("|");

/** What names of pictures and documents are made of, besides: people name these in more ways, and no open page lacks them for long. */
const PARTS_OF_TITLES = [
  "[A-Z](?=[0-9.])", // PlanB
  "(?<![0-9A-Za-z])[a-z](?=[0-9])", // k8s
  "[0-9]+[a-z](?![0-9a-z])", // Fig12a
  "[a-z]{2}",
  "[A-Z]?[a-z]{2,3}(?=[A-Z])", // TxtFile
  "[A-Z][aeiouy]",
].join("|");

/**
 * What is a hash of 8 characters of base64url, and not made of words: `MyScreen`, `Win11Pro` and `ToDoList` are not hashes. Of scripts,
 * styles and fonts fewer are doubted: an open page may still load them. Of random hashes, 88 % of scripts and 60 % of pictures count.
 */
const BASE64URL = [
  String.raw`(?=[\w-]{8}\.)(?=[^.]*[A-Z])(?=[^.]*[a-z])`,
  String.raw`(?!(${PARTS_OF_NAMES}|(?=[^.]*\.(?!([a-z]+\.)?([cm]?js|css|woff2?)(\.map)?$))(${PARTS_OF_TITLES}))+\.)`,
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
  "Vite, VitePress, Astro, Nuxt": String.raw`/(assets/.*[-.]|(_astro|_nuxt)/(.*[-./])?)${BASE64URL}`,
  /** Its own folder for what it names after the content: nothing else is there, so that no word is doubted. */
  SvelteKit: String.raw`/_app/immutable/(.*[-./])?[\w-]{8}(\.[a-z]+)?\.(?!html?$)[0-9a-z]+$`,
};

/** The paths of files that are named after their content, as generators write them. */
export const IMMUTABLE_PATH: RegExp = new RegExp(Object.values(ROWS).join("|"));

/** Whether the content at a path never changes, judged by its name. */
export function isImmutable(path: string): boolean {
  return IMMUTABLE_PATH.test(`/${path}`);
}
