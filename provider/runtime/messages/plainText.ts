/**
 * Control characters, direction marks and other invisible characters, and every character that ends a line in a terminal,
 * in a log, or for a pipeline that looks for commands.
 */
const NOT_PRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * The beginning of a command that pipeline runners execute when it appears in a log: `##vso[…]` and `##[…]` (Azure,
 * GitHub), `##teamcity[…]`, `::set-output …::` (GitHub).
 */
const COMMAND =
  /##(?=[a-z]*\[)|::(?=(?:add-mask|add-matcher|add-path|debug|echo|endgroup|error|group|notice|remove-matcher|save-state|set-env|set-output|stop-commands|warning)\b)/gi;

/** Longest text that this process sends, in UTF-16 units: far more than any message of this package. */
const LONGEST = 16_000;

/** Cuts a text to at most `limit` UTF-16 units, never within a character, and adds an ellipsis if it was cut. */
export function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text.toWellFormed();
  const isWithinPair = /[\ud800-\udbff]/.test(text.charAt(limit - 1));
  return `${text.slice(0, isWithinPair ? limit - 1 : limit).toWellFormed()}…`;
}

/** Disables commands for pipelines and keeps them readable: `# #vso[…]`, `: :error …`. */
export function withoutCommands(text: string): string {
  return text.replace(COMMAND, (mark) => `${mark.charAt(0)} ${mark.charAt(1)}`);
}

/** Whether a text consists of whole, visible characters. */
export function isPrintable(text: string): boolean {
  return text.isWellFormed() && text.search(NOT_PRINTABLE) < 0;
}

/** Whether a text is printable and contains no command for pipelines. */
export function isPlain(text: string): boolean {
  return isPrintable(text) && text.search(COMMAND) < 0;
}

/** Replaces each run of invisible characters with one space. */
export function spaced(text: string): string {
  return text.replace(new RegExp(`(?:${NOT_PRINTABLE.source})+`, "gu"), " ");
}

/**
 * Makes any text safe to show: one line of whole characters, invisible ones as `\u{…}`, no command for pipelines, limited
 * length.
 */
export function printable(text: string): string {
  const visible = truncate(text, LONGEST).replace(
    NOT_PRINTABLE,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return withoutCommands(visible);
}
