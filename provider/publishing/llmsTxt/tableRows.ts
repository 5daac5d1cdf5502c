import { attributeOf, classesOf, type ContentElement, firstBelow } from "./contentElement";
import { isCode } from "./contentRules";

/** A table wider than this has its further cells in the last column. */
const MOST_COLUMNS = 100;
/** Classes of tables that only place code beside its numbers. */
const OF_CODE = /(?:^|\s)(?:highlighttable|codehilitetable|lntable|rouge-table|hljs-ln)(?=\s|$)/;

/** Those that only place the parts of a declaration. */
const OF_DECLARATION = /(?:^|\s)(?:memname|mlabels)(?=\s|$)/;

/** The parts of a table in their order. */
const PARTS: ReadonlyMap<string, number> = new Map([
  ["thead", 0],
  ["tbody", 1],
  ["tfoot", 2],
]);

/** A row: a cell for each column, undefined where another one reaches. */
export type Row = (ContentElement | undefined)[];

interface TableRows {
  readonly rows: Row[];
  /** Whether the first row has the headings. */
  readonly headings: boolean;
  readonly caption: ContentElement | undefined;
}

/** The rows of a table, without those of tables in it. @param skipped cells that it does not have */
export function rowsOf(table: ContentElement, skipped: ReadonlySet<ContentElement>): TableRows {
  const found: { row: ContentElement; part: number }[] = [];
  let caption: ContentElement | undefined;
  const see = (element: ContentElement, part: number): void => {
    for (const child of element.children) {
      if (typeof child === "string") continue;
      if (child.tag === "tr") found.push({ row: child, part });
      else if (child.tag === "caption") caption ??= child;
      else if (PARTS.has(child.tag)) see(child, PARTS.get(child.tag) ?? 1);
    }
  };
  see(table, 1);
  // a browser shows the head above and the foot below, wherever they are
  found.sort((one, other) => one.part - other.part);
  /** For each column, how many rows a cell still reaches. */
  const reach: number[] = [];
  const rows = found.map(({ row }) => {
    const cells: Row = [];
    const skip = (): void => {
      while ((reach[cells.length] ?? 0) > 0 && cells.length < MOST_COLUMNS) {
        reach[cells.length] = (reach[cells.length] ?? 0) - 1;
        cells.push(undefined);
      }
    };
    for (const child of row.children) {
      if (typeof child === "string" || (child.tag !== "td" && child.tag !== "th") || skipped.has(child)) {
        continue;
      }
      skip();
      if (cells.length >= MOST_COLUMNS) {
        const last = cells.findLast((cell) => cell !== undefined);
        if (last) last.children.push(" ", ...child.children);
        continue;
      }
      const columns = span(child, "colspan");
      const below = span(child, "rowspan") - 1;
      for (let column = 0; column < columns && cells.length < MOST_COLUMNS; column++) {
        reach[cells.length] = below;
        cells.push(column === 0 ? child : undefined);
      }
    }
    skip();
    return cells;
  });
  const [first] = found;
  const cells = first?.row.children.filter((child) => typeof child !== "string") ?? [];
  const headings =
    first !== undefined &&
    (first.part === 0 ||
      (cells.length > 0 && cells.every((cell) => typeof cell !== "string" && cell.tag === "th")));
  return { rows: rows.filter((row) => row.length > 0), headings, caption };
}

function span(cell: ContentElement, name: string): number {
  const count = Number.parseInt(attributeOf(cell, name) ?? "1", 10);
  return Number.isSafeInteger(count) && count > 0 ? Math.min(count, MOST_COLUMNS) : 1;
}

/** Whether a table only places its cells. */
export function isLayout(table: ContentElement, rows: readonly Row[]): boolean {
  if (/^(?:presentation|none)$/.test(attributeOf(table, "role") ?? "")) return true;
  if (OF_CODE.test(classesOf(table)) || OF_DECLARATION.test(classesOf(table))) return true;
  const cells = rows.flat().filter((cell) => cell !== undefined);
  if (cells.some(({ tag }) => tag === "th")) return false;
  if (cells.length < 2 || (rows.length === 1 && has(cells, isCode))) return true;
  return has(cells, ({ tag }) => tag === "table" || /^h[1-6]$/.test(tag));
}

function has(cells: readonly ContentElement[], fits: (element: ContentElement) => boolean): boolean {
  return cells.some((cell) => firstBelow(cell, fits) !== undefined);
}
