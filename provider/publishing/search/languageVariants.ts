/**
 * For languages with two standards, the regions of one of them; the others have the other one. Those that match a text without a region
 * are of the language's bare name: `es` is that of Spain, and Mexico's readers are nearer to `es-419`.
 */
const STANDARD: Readonly<Record<string, RegExp>> = {
  de: /^(?:ch|li)$/,
  en: /^(?:|as|gu|mh|mp|ph|pr|um|us|vi)$/,
  es: /^(?:|ea|es|gq|ic|ph)$/,
  fr: /^ca$/,
  pt: /^(?:|br)$/,
  zh: /^(?:hk|mo)$/,
};
/** Chinese in traditional characters, by its script or by the region. */
const TRADITIONAL = /^zh-(?:hant|(?!hans).*(?:hk|mo|tw))\b/;

/** What a language belongs to, from its name on to the region: variants that are near have more of it in common. */
export function lineOf(language: string): string[] {
  const [name = "", ...tags] = language.split("-");
  const region = tags.find((tag) => /^(?:[a-z]{2}|\d{3})$/.test(tag)) ?? "";
  const script = tags.find((tag) => tag.length === 4) ?? "";
  const usual = name === "zh" ? (TRADITIONAL.test(language) ? "hant" : "hans") : "";
  const standard = STANDARD[name]?.test(region) === true ? "1" : "2";
  return [name, script || usual, standard, ...tags.filter((tag) => tag !== script)];
}

/** The language whose texts a page has: variants share them, but for Chinese in traditional characters. */
export function textsLanguageOf(language: string): string {
  return TRADITIONAL.test(language) ? "zh-hant" : (language.split("-")[0] ?? "");
}

/** The language of a document as the search names it. */
export function languageOfPage(lang: string): string {
  return lang.trim().toLowerCase().replaceAll("_", "-");
}
