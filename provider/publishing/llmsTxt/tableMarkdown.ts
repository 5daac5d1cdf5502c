import { HEADING } from "./blockElements";
import { linesOf } from "./codeText";
import type { ContentElement, ContentNode } from "./contentElement";
import { isCode } from "./contentRules";
import { codeSpan } from "./escape";
import type { InlinePlace } from "./inlineMarkdown";
import { mathIn } from "./mathText";
import { isLayout, type Row, rowsOf } from "./tableRows";

/** Writes what is in the cells of a table. */
export interface CellWriter {
  /** Elements that are written elsewhere, or not at all. */
  readonly skipped: ReadonlySet<ContentElement>;
  isBlock(element: ContentElement): boolean;
  /** A text in one line. */
  inline(nodes: readonly ContentNode[], place?: InlinePlace): string;
  blocks(nodes: readonly ContentNode[]): string[];
}

/** How deep tables in cells are written as tables; deeper ones are their texts. */
const MOST_NESTED = 4;

/** The blocks of a table: its caption and its rows. What a table only places is written without it. */
export function tableBlocks(table: ContentElement, writer: CellWriter): string[] {
  const { rows, headings, caption } = rowsOf(table, writer.skipped);
  const above = caption ? writer.blocks(caption.children) : [];
  if (isLayout(table, rows)) return [...above, ...rows.flatMap((row) => placedRow(row, writer))];
  const width = rows.reduce((most, { length }) => Math.max(most, length), 0);
  if (width === 0) return above;
  // cells that are missing at the end of a row are empty
  const lines = rows.map(
    (row) => `| ${row.map((cell) => (cell ? cellText(cell, writer) : "")).join(" | ")} |`,
  );
  const rule = `|${" --- |".repeat(width)}`;
  const empty = `|${"  |".repeat(width)}`;
  const [first = "", ...others] = headings ? lines : [empty, ...lines];
  const missing = headings ? width - (rows[0]?.length ?? 0) : 0;
  return [...above, [first + "  |".repeat(missing), rule, ...others].join("\n")];
}

/** A row of a table that only places its cells: a line, if none of them has a block. */
function placedRow(row: Row, writer: CellWriter): string[] {
  const cells = row.filter((cell) => cell !== undefined);
  const isLine = cells.every(({ children }) =>
    children.every((child) => typeof child === "string" || !writer.isBlock(child)),
  );
  if (!isLine) return cells.flatMap(({ children }) => writer.blocks(children));
  return writer.blocks(cells.flatMap(({ children }) => [...children, " "]));
}

/** In one line: what takes several is HTML. */
function cellText({ children }: ContentElement, writer: CellWriter): string {
  return textOf(children, writer, 0).replaceAll("\n", " ");
}

function textOf(nodes: readonly ContentNode[], writer: CellWriter, depth: number): string {
  const parts: string[] = [];
  let run: ContentNode[] = [];
  const endRun = (): void => {
    const text = writer.inline(run, { isInCell: true });
    if (text !== "") parts.push(text);
    run = [];
  };
  for (const node of nodes) {
    if (typeof node === "string" || !writer.isBlock(node)) {
      run.push(node);
      continue;
    }
    endRun();
    const text = blockText(node, writer, depth);
    if (text !== "") parts.push(text);
  }
  endRun();
  return parts.join("<br>");
}

function blockText(element: ContentElement, writer: CellWriter, depth: number): string {
  const { tag, children } = element;
  if (writer.skipped.has(element)) return "";
  const math = mathIn(element);
  if (math) return `$${math.source.replace(/\s+/g, " ").replaceAll("|", "\\|")}$`;
  if (isCode(element)) {
    const lines = linesOf(element).split("\n");
    return lines.map((line) => codeSpan(line, true)).join("<br>");
  }
  if (tag === "ul" || tag === "ol") {
    const items = children.filter(
      (child) => typeof child !== "string" && child.tag === "li",
    ) as ContentElement[];
    const text = items.map((item) => `<li>${textOf(item.children, writer, depth)}</li>`).join("");
    return text === "" ? "" : `<${tag}>${text}</${tag}>`;
  }
  if (tag === "table" && depth < MOST_NESTED) return tableText(element, writer, depth);
  if (HEADING.test(tag) || tag === "dt") {
    const text = writer.inline(children, { isInCell: true, isInHeading: true });
    return text === "" || text.includes("**") ? text : `**${text}**`;
  }
  return textOf(children, writer, depth);
}

/** A table in a cell, as HTML. */
function tableText(table: ContentElement, writer: CellWriter, depth: number): string {
  const { rows, caption } = rowsOf(table, writer.skipped);
  if (isLayout(table, rows)) return textOf(table.children, writer, depth + 1);
  const lines = rows.map((row) => {
    const cells = row.map((cell) => {
      const tag = cell?.tag === "th" ? "th" : "td";
      return `<${tag}>${cell ? textOf(cell.children, writer, depth + 1) : ""}</${tag}>`;
    });
    return `<tr>${cells.join("")}</tr>`;
  });
  const above = caption ? `${textOf(caption.children, writer, depth)}<br>` : "";
  return lines.length === 0 ? "" : `${above}<table>${lines.join("")}</table>`;
}
