import { languageOf, linesOf } from "./codeText";
import {
  attributeOf,
  classesOf,
  type ContentElement,
  type ContentNode,
  firstBelow,
  textOf,
} from "./contentElement";
import { isCode } from "./contentRules";
import { asParagraph, codeBlock, codeSpan, destination } from "./escape";
import { InlineText } from "./inlineText";
import { mathIn } from "./mathText";
import type { Prepared } from "./prepareContent";
import { isLayout, rowsOf } from "./tableRows";

/** Encloses the address of a link in Markdown that is not placed yet, see `placed`: no page can contain it. */
export const LINK_MARK = "\0";

/** Elements that are blocks of their own, or contain such. */
const BLOCK = new Set(
  (
    "address article aside blockquote body caption center dd details dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 " +
    "header hgroup hr legend li main menu ol p pre search section summary table tbody td tfoot th thead tr ul"
  ).split(" "),
);
const HEADING = /^h[1-6]$/;
const STRONG = new Set(["strong", "b"]);
const EMPHASIS = new Set(["em", "i", "cite", "dfn", "var"]);
const DELETED = new Set(["del", "s", "strike"]);
/** Elements without a mark in Markdown that a reader needs. */
const KEPT = new Set(["kbd", "sub", "sup"]);
/** Symbols that generators put beside a heading. */
const PERMALINK = /^[\s¶#§🔗​]*$/u;
/** The class of a note with a title, and its kind. */
const NOTE =
  /(?:^|\s)(?:admonition(?:block)?|theme-admonition|custom-block|starlight-aside|markdown-alert|callout|nextra-callout|alert|hint|note|tip|info|important|warning|caution|danger|attention|error|seealso)(?=\s|$)/i;
const NOTE_KIND =
  /(?:^|[\s-])(note|tip|info|important|warning|caution|danger|attention|error|hint|seealso|success|example|quote|bug|failure|abstract|question)(?=\s|$)/i;
const NOTE_TITLE =
  /admonition-?(?:title|heading)|custom-block-title|aside__title|alert-title|callout-title|(?:^|\s)title(?=\s|$)/i;
/** Deeper lists and quotations are written at this depth. */
const MOST_INDENTS = 16;

/** The Markdown of a page's content. Addresses of its links are between two {@link LINK_MARK}. */
export class MarkdownWriter {
  readonly #prepared: Prepared;
  /** Ids of elements that began since the last text. */
  #anchor = "";
  #indents = 0;
  /** The first heading of the first level, as text. */
  hasTitle = false;

  constructor(prepared: Prepared) {
    this.#prepared = prepared;
  }

  /** The blocks of an element, one below the other. */
  blocks(element: ContentElement): string {
    return this.#blocksOf(element.children).join("\n\n");
  }

  #blocksOf(nodes: readonly ContentNode[]): string[] {
    const blocks: string[] = [];
    let run: ContentNode[] = [];
    const endRun = (): void => {
      if (run.length > 0) push(blocks, this.#paragraph(run));
      run = [];
    };
    for (const node of nodes) {
      if (typeof node !== "string" && this.#isBlock(node)) {
        endRun();
        for (const block of this.#block(node)) push(blocks, block);
      } else run.push(node);
    }
    endRun();
    return blocks;
  }

  #isBlock(element: ContentElement): boolean {
    if (BLOCK.has(element.tag) || this.#prepared.labels.has(element)) return true;
    if (element.tag === "a" || element.children.length === 0) return mathIn(element)?.isBlock === true;
    return (
      mathIn(element)?.isBlock === true ||
      element.children.some((child) => typeof child !== "string" && this.#isBlock(child))
    );
  }

  #block(element: ContentElement): string[] {
    const { tag, children } = element;
    const { labels, skipped, notes } = this.#prepared;
    if (skipped.has(element)) return [];
    const id = attributeOf(element, "id");
    if (id !== undefined) this.#anchor = id;
    const math = mathIn(element);
    if (math) return [math.isBlock ? `$$\n${math.source}\n$$` : `$${math.source}$`];
    const label = labels.get(element);
    const before = label === undefined ? [] : [`**${label}**`];
    const note = notes.get(element);
    if (note !== undefined) return [indented(this.#nested(children, note), `[^${note}]: `, "    ")];
    if (HEADING.test(tag)) return [this.#heading(element)];
    if (isCode(element)) return [...before, this.#code(element)];
    switch (tag) {
      case "p":
        return [...before, ...this.#blocksOf(children)];
      case "hr":
        return ["---"];
      case "ul":
      case "ol":
      case "menu":
      case "dir":
        return [...before, this.#list(element)];
      case "dl":
        return [...before, this.#definitions(element)];
      case "blockquote":
        return [quoted(this.#nested(children))];
      case "table":
        return [...before, ...this.#table(element)];
      case "summary": {
        const isHeading = children.some((child) => typeof child !== "string" && HEADING.test(child.tag));
        return isHeading ? this.#blocksOf(children) : [strong(this.#inline(children))];
      }
      default:
        return [...before, ...(this.#note(element) ?? this.#blocksOf(children))];
    }
  }

  #heading(element: ContentElement): string {
    const level = Number(element.tag[1]);
    const inner = firstBelow(
      element,
      (each) => (attributeOf(each, "id") ?? attributeOf(each, "name")) !== undefined,
    );
    const own =
      attributeOf(element, "id") ?? (inner && (attributeOf(inner, "id") ?? attributeOf(inner, "name")));
    const id = own ?? this.#anchor;
    const text = this.#inline(element.children, { isInHeading: true }).replace(/\\\n/g, " ");
    if (text === "") return "";
    if (level === 1) this.hasTitle = true;
    return `${"#".repeat(level)} ${text}${addressOf(id)}`;
  }

  #paragraph(nodes: readonly ContentNode[]): string {
    return asParagraph(this.#inline(nodes));
  }

  #code(element: ContentElement): string {
    const text = linesOf(element);
    if (text.trim() === "") return "";
    this.#anchor = "";
    return codeBlock(text, languageOf(element, this.#prepared.languages));
  }

  #list(element: ContentElement): string {
    const isOrdered = element.tag === "ol";
    const start = Number.parseInt(attributeOf(element, "start") ?? "1", 10);
    let number = Number.isSafeInteger(start) && start >= 0 && start <= 999_999 ? start : 1;
    const items: string[] = [];
    const others: ContentNode[] = [];
    let isLoose = false;
    for (const child of element.children) {
      if (typeof child === "string" || (child.tag !== "li" && !this.#prepared.notes.has(child))) {
        others.push(child);
        continue;
      }
      if (this.#prepared.skipped.has(child)) continue;
      if (this.#prepared.notes.has(child)) {
        items.push(...this.#block(child));
        isLoose = true;
        continue;
      }
      const id = attributeOf(child, "id");
      if (id !== undefined) this.#anchor = id;
      const blocks = this.#nestedBlocks(child.children);
      if (blocks.length === 0) continue;
      const marker = isOrdered ? `${number++}. ` : "- ";
      const tight = isTight(blocks);
      isLoose ||= !tight;
      items.push(
        indented(taskOf(child) + blocks.join(tight ? "\n" : "\n\n"), marker, " ".repeat(marker.length)),
      );
    }
    return [items.join(isLoose ? "\n\n" : "\n"), ...this.#nestedBlocks(others)]
      .filter((each) => each !== "")
      .join("\n\n");
  }

  /** A list of terms, each with its definitions below it. */
  #definitions(element: ContentElement): string {
    const items: { term: string; blocks: string[] }[] = [];
    const add = (child: ContentNode): void => {
      if (typeof child === "string") {
        if (child.trim() !== "") items.push({ term: "", blocks: [this.#paragraph([child])] });
        return;
      }
      if (this.#prepared.skipped.has(child)) return;
      const note = this.#prepared.notes.get(child);
      if (child.tag === "div" || child.tag === "dl") for (const each of child.children) add(each);
      else if (child.tag === "dt") {
        const id = attributeOf(child, "id") ?? "";
        const term = this.#inline(child.children).replace(/\\\n/g, " ");
        if (term !== "") items.push({ term: `${strong(term)}${addressOf(id)}`, blocks: [] });
      } else {
        const blocks = note === undefined ? this.#nestedBlocks(child.children) : this.#block(child);
        const last = items.at(-1);
        if (last) last.blocks.push(...blocks);
        else items.push({ term: "", blocks });
      }
    };
    for (const child of element.children) add(child);
    const isLoose = items.some(({ blocks }) => blocks.length > 0);
    return items
      .map(({ term, blocks }) =>
        indented([term, ...blocks].filter((each) => each !== "").join("\n\n"), "- ", "  "),
      )
      .join(isLoose ? "\n\n" : "\n");
  }

  /** A note as a quotation with its title; undefined for another element. */
  #note(element: ContentElement): string[] | undefined {
    const { tag } = element;
    if (!/^(?:div|aside|section|article)$/.test(tag) && !tag.includes("-")) return undefined;
    const classes = classesOf(element);
    if (!NOTE.test(classes) || /(?:^|\s)hint--/.test(classes)) return undefined;
    const title = firstBelow(
      element,
      (each) =>
        NOTE_TITLE.test(classesOf(each)) ||
        HEADING.test(each.tag) ||
        /(?:^|\s)icon(?=\s|$)/.test(classesOf(each)),
    );
    const given = title && this.#inline(title.children, { isInHeading: true });
    if (title && given !== "") this.#prepared.skipped.add(title);
    const kind = NOTE_KIND.exec(classes)?.[1] ?? "";
    const text = given || (kind === "" ? "" : kind.slice(0, 1).toUpperCase() + kind.slice(1).toLowerCase());
    const content = this.#nested(element.children);
    if (content === "" && text === "") return [];
    return [quoted([text === "" ? "" : strong(text), content].filter((each) => each !== "").join("\n\n"))];
  }

  #table(element: ContentElement): string[] {
    const { rows, headings, caption } = rowsOf(element, this.#prepared.skipped);
    const above = caption ? this.#blocksOf(caption.children) : [];
    if (isLayout(element, rows)) {
      return [...above, ...rows.flat().flatMap((cell) => (cell ? this.#blocksOf(cell.children) : []))];
    }
    const width = rows.reduce((most, { length }) => Math.max(most, length), 0);
    if (width === 0) return above;
    // cells that are missing at the end of a row are empty
    const lines = rows.map((row) => `| ${row.map((cell) => (cell ? this.#cell(cell) : "")).join(" | ")} |`);
    const rule = `|${" --- |".repeat(width)}`;
    const empty = `|${"  |".repeat(width)}`;
    const [first = "", ...others] = headings ? lines : [empty, ...lines];
    const missing = headings ? width - (rows[0]?.length ?? 0) : 0;
    return [...above, [first + "  |".repeat(missing), rule, ...others].join("\n")];
  }

  /** In one line: what takes several is HTML. */
  #cell({ children }: ContentElement): string {
    return this.#cellText(children).replaceAll("\n", " ");
  }

  #cellText(nodes: readonly ContentNode[]): string {
    const parts: string[] = [];
    let run: ContentNode[] = [];
    const endRun = (): void => {
      const text = this.#inline(run, { isInCell: true });
      if (text !== "") parts.push(text);
      run = [];
    };
    for (const node of nodes) {
      if (typeof node === "string" || !this.#isBlock(node)) {
        run.push(node);
        continue;
      }
      endRun();
      const text = this.#cellBlock(node);
      if (text !== "") parts.push(text);
    }
    endRun();
    return parts.join("<br>");
  }

  #cellBlock(element: ContentElement): string {
    const { tag, children } = element;
    if (this.#prepared.skipped.has(element)) return "";
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
      const text = items.map((item) => `<li>${this.#cellText(item.children)}</li>`).join("");
      return text === "" ? "" : `<${tag}>${text}</${tag}>`;
    }
    if (HEADING.test(tag) || tag === "dt") {
      const text = this.#inline(children, { isInCell: true, isInHeading: true });
      return text === "" ? "" : strong(text);
    }
    return this.#cellText(children);
  }

  #nested(nodes: readonly ContentNode[], note?: string): string {
    const text = this.#nestedBlocks(nodes).join("\n\n");
    return note === undefined ? text : text.replace(/^\[?\s*\]?\s*/, "");
  }

  /** Blocks inside a list or a quotation. */
  #nestedBlocks(nodes: readonly ContentNode[]): string[] {
    this.#indents++;
    const blocks = this.#indents > MOST_INDENTS ? [flat(nodes)] : this.#blocksOf(nodes);
    this.#indents--;
    return blocks.filter((block) => block !== "");
  }

  #inline(
    nodes: readonly ContentNode[],
    { isInHeading = false, isInCell = false, isInLink = false } = {},
  ): string {
    const inline = new InlineText({ isInLink, isInCell });
    this.#write(nodes, inline, { isInHeading, isInCell, isInLink, isStrong: isInHeading, isEmphasis: false });
    return inline.text.replace(/(?:\\\n|<br>)$/, "");
  }

  #write(nodes: readonly ContentNode[], inline: InlineText, place: InlinePlace): void {
    for (const node of nodes) {
      if (typeof node === "string") {
        inline.words(node);
        if (this.#anchor !== "" && node.trim() !== "") this.#anchor = "";
      } else this.#writeElement(node, inline, place);
    }
  }

  #writeElement(element: ContentElement, inline: InlineText, place: InlinePlace): void {
    const { tag, children } = element;
    if (this.#prepared.skipped.has(element)) return;
    const math = mathIn(element);
    if (math) {
      const source = math.source.replace(/\s+/g, " ");
      inline.markup(`$${place.isInCell ? source.replaceAll("|", "\\|") : source}$`, "$");
      return;
    }
    if (STRONG.has(tag) && !place.isStrong) {
      inline.marked("**", "strong", (inner) => this.#write(children, inner, { ...place, isStrong: true }));
    } else if (EMPHASIS.has(tag) && !place.isEmphasis) {
      inline.marked("*", "em", (inner) => this.#write(children, inner, { ...place, isEmphasis: true }));
    } else if (DELETED.has(tag)) {
      inline.marked("~~", "del", (inner) => this.#write(children, inner, place));
    } else if (KEPT.has(tag)) this.#keep(element, inline, place);
    else if (tag === "code" || tag === "samp") inline.markup(this.#codeSpan(element, place), "`");
    else if (tag === "a") this.#link(element, inline, place);
    else if (tag === "img") this.#image(element, inline);
    else if (tag === "br") {
      if (place.isInHeading || place.isInLink) inline.space();
      else inline.lineBreak();
    } else if (tag === "q") {
      inline.markup("“", "“");
      this.#write(children, inline, place);
      inline.markup("”", "”");
    } else if (tag === "svg") this.#drawing(element, inline, place);
    else {
      const isApart = BLOCK.has(tag);
      if (isApart) inline.space();
      this.#write(children, inline, place);
      if (isApart) inline.space();
    }
  }

  #codeSpan(element: ContentElement, { isInCell }: InlinePlace): string {
    const span = codeSpan(textOf(element), isInCell);
    if (span !== "") this.#anchor = "";
    return span;
  }

  #keep(element: ContentElement, inline: InlineText, place: InlinePlace): void {
    const { tag, children } = element;
    const reference = tag === "sup" && firstBelow(element, (each) => this.#prepared.references.has(each));
    if (reference) return this.#write(children, inline, place);
    const inner = new InlineText(place);
    this.#write(children, inner, place);
    if (inner.isEmpty) return;
    inline.markup(`<${tag}>${inner.text}</${tag}>`, "<");
  }

  #link(element: ContentElement, inline: InlineText, place: InlinePlace): void {
    const { children } = element;
    const note = this.#prepared.references.get(element);
    if (note !== undefined) {
      inline.markup(`[^${note}]`, "[");
      return;
    }
    const address = attributeOf(element, "href");
    const isPlain =
      address === undefined || place.isInLink || /^\s*(?:javascript|data|vbscript):/i.test(address);
    if (isPlain) return this.#write(children, inline, place);
    const inner = new InlineText({ ...place, isInLink: true });
    this.#write(children, inner, { ...place, isInLink: true });
    const text = inner.text;
    if (place.isInHeading && address.startsWith("#")) {
      // the address of the heading itself
      if (!PERMALINK.test(text)) inline.markup(text, text[0]);
      return;
    }
    const named =
      text === "" ? (attributeOf(element, "aria-label") ?? attributeOf(element, "title") ?? "") : text;
    const shown =
      text === ""
        ? named
            .replace(/[[\]\\`*_<]/g, "\\$&")
            .replace(/\s+/g, " ")
            .trim()
        : text;
    if (shown === "") return;
    inline.markup(`[${shown}](${LINK_MARK}${destination(address)}${LINK_MARK})`, "[");
  }

  #image(element: ContentElement, inline: InlineText): void {
    const source = attributeOf(element, "src") ?? attributeOf(element, "data-src") ?? "";
    const alt = (attributeOf(element, "alt") ?? "").replace(/\s+/g, " ").trim();
    if (/(?:^|\s)math(?=\s|$)/.test(classesOf(element)) && alt !== "") {
      inline.markup(`$${alt}$`, "$");
      return;
    }
    const isEmbedded = /^\s*(?:data|blob):/i.test(source) || source === "";
    if (isEmbedded && alt === "") return;
    const text = alt.replace(/[[\]\\`*_<]/g, "\\$&");
    inline.markup(`![${text}](${isEmbedded ? "" : `${LINK_MARK}${destination(source)}${LINK_MARK}`})`, "!");
  }

  /** The words of a drawing. */
  #drawing(element: ContentElement, inline: InlineText, place: InlinePlace): void {
    for (const child of element.children) {
      if (typeof child === "string") continue;
      if (child.tag === "style" || child.tag === "title" || child.tag === "defs") continue;
      if (/^(?:text|foreignobject)$/i.test(child.tag)) {
        inline.space();
        this.#write(child.children, inline, place);
        inline.space();
      } else this.#drawing(child, inline, place);
    }
  }
}

interface InlinePlace {
  readonly isInHeading: boolean;
  readonly isInCell: boolean;
  readonly isInLink: boolean;
  readonly isStrong: boolean;
  readonly isEmphasis: boolean;
}

function push(blocks: string[], block: string): void {
  if (block !== "") blocks.push(block);
}

/** The address of a heading or term, as many generators read it. */
function addressOf(id: string): string {
  return /^[^\s{}#]{1,200}$/.test(id) ? ` {#${id}}` : "";
}

function strong(text: string): string {
  return text === "" || text.includes("**") || text.includes("\n") || !/^[^\s].*[^\s]$|^\S$/s.test(text)
    ? text
    : `**${text}**`;
}

function quoted(text: string): string {
  return text === "" ? "" : text.replace(/^(?=.)/gm, "> ").replace(/^$/gm, ">");
}

function indented(text: string, first: string, others: string): string {
  return first + text.replace(/\n(?=[^\n])/g, `\n${others}`);
}

/** Whether an item's blocks are one text and lists below it. */
function isTight(blocks: readonly string[]): boolean {
  return blocks.slice(1).every((block) => /^(?:[-*]|\d+\.) /.test(block));
}

/** The mark of an item of a task list. */
function taskOf(item: ContentElement): string {
  const box = firstBelow(item, ({ tag }) => tag !== "p" && tag !== "label" && tag !== "span");
  const isTask = box?.tag === "input" && attributeOf(box, "type") === "checkbox";
  if (!isTask) return "";
  return attributeOf(box, "checked") === undefined ? "[ ] " : "[x] ";
}

/** The text of what is too deep to be indented. */
function flat(nodes: readonly ContentNode[]): string {
  const inline = new InlineText({ isInLink: false, isInCell: false });
  for (const node of nodes) {
    inline.words(textOf(node));
    inline.space();
  }
  return asParagraph(inline.text);
}
