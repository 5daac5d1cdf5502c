/**
 * Control characters, direction marks and other characters that nobody sees, and all that ends a line somewhere: in a
 * terminal, in a log, or where a pipeline looks for commands.
 */
const NOT_PRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * The beginning of a command that the runners of pipelines obey when they see it in a log: `##vso[…]` and `##[…]` (Azure,
 * GitHub), `##teamcity[…]`, `::set-output …::` (GitHub).
 */
const COMMAND =
  /##(?=[a-z]*\[)|::(?=(?:add-mask|add-matcher|add-path|debug|echo|endgroup|error|group|notice|remove-matcher|save-state|set-env|set-output|stop-commands|warning)\b)/gi;

/** The longest text that leaves this process in one piece, in UTF-16 units: far more than any message of ours. */
const LONGEST = 16_000;

/** At most so many UTF-16 units, never half a character, and an ellipsis where something was left out. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text.toWellFormed();
  const isWithinPair = /[\ud800-\udbff]/.test(text.charAt(limit - 1));
  return `${text.slice(0, isWithinPair ? limit - 1 : limit).toWellFormed()}…`;
}

/** Takes the power from commands for pipelines, so that they can be read nevertheless: `# #vso[…]`, `: :error …`. */
export function withoutCommands(text: string): string {
  return text.replace(COMMAND, (mark) => `${mark.charAt(0)} ${mark.charAt(1)}`);
}

/** Whether a text consists of whole characters that can be seen. */
export function isPrintable(text: string): boolean {
  return text.isWellFormed() && text.search(NOT_PRINTABLE) < 0;
}

/** Whether a text is no more than text: it can be seen, and holds no command for pipelines. */
export function isPlain(text: string): boolean {
  return isPrintable(text) && text.search(COMMAND) < 0;
}

/** Puts one space in the place of what is not seen. */
export function spaced(text: string): string {
  return text.replace(new RegExp(`(?:${NOT_PRINTABLE.source})+`, "gu"), " ");
}

/**
 * The last guard of a text that is shown: one line of whole characters, what is not seen as `\u{…}`, no command for
 * pipelines, not endless.
 */
export function printable(text: string): string {
  const seen = cut(text, LONGEST).replace(
    NOT_PRINTABLE,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return withoutCommands(seen);
}
