import { DECISION_CODES } from "../../dist/provider/resource/decision.js";

const TABLE = /<!-- table: decision codes -->[^]*?<!-- end of table -->/;

/** A page with the table of decision codes, if it has one, as the code has it. */
export function withDecisionCodes(page: string): string {
  const rows = Object.entries(DECISION_CODES).map(([code, { text }]) => `| \`${code}\` | ${text} |`);
  const table = ["| code | action and reason |", "| --- | --- |", ...rows].join("\n");
  return page.replace(TABLE, () => `<!-- table: decision codes -->\n\n${table}\n\n<!-- end of table -->`);
}
