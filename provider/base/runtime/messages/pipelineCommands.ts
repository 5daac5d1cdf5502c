/**
 * The beginning of a command that pipeline runners execute when it appears in a log: `##vso[…]` and `##[…]` (Azure,
 * GitHub), `##teamcity[…]`, `::set-output …::` (GitHub).
 */
export const COMMAND: RegExp =
  /##(?=[a-z]*\[)|::(?=(?:add-mask|add-matcher|add-path|debug|echo|endgroup|error|group|notice|remove-matcher|save-state|set-env|set-output|stop-commands|warning)\b)/gi;

/** Disables commands for pipelines and keeps them readable: `# #vso[…]`, `: :error …`. */
export function withoutCommands(text: string): string {
  return text.replace(COMMAND, (mark) => `${mark.charAt(0)} ${mark.charAt(1)}`);
}
