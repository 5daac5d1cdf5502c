import { BLOCK, HEADING } from "./blockElements";
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
import { asHeading, asParagraph, codeBlock } from "./escape";
import { InlineMarkdown } from "./inlineMarkdown";
import { InlineText } from "./inlineText";
import { mathIn } from "./mathText";
import type { Prepared } from "./prepareContent";
import { rememberedTest } from "./rememberedClasses";
import { type CellWriter, tableBlocks } from "./tableMarkdown";

/** The class of a note with a title, and its kind. */
const NOTE = rememberedTest(
  /(?:^|\s)(?:admonition(?:block)?|theme-admonition|custom-block|starlight-aside|markdown-alert|callout|nextra-callout|alert|hint|note|tip|info|important|warning|caution|danger|attention|error|seealso)(?=\s|$)/i,
);
const NOTE_KIND =
  /(?:^|[\s-])(note|tip|info|important|warning|caution|danger|attention|error|hint|seealso|success|example|quote|bug|failure|abstract|question)(?=\s|$)/i;
const NOTE_TITLE =
  /admonition-?(?:title|heading)|custom-block-title|aside__title|alert-title|callout-title|(?:^|\s)title(?=\s|$)/i;
/** A line across the page. */
const RULE = "---";
/** Deeper lists and quotations are written at this depth. */
const MOST_INDENTS = 16;

/** The Markdown of a page's content. Addresses of its links are between two `LINK_MARK`. */
export class MarkdownWriter {
  readonly #prepared: Prepared;
  readonly #inlines: InlineMarkdown;
  readonly #cells: CellWriter;
  /** Whether elements that are no blocks themselves contain one. */
  readonly #contains = new Map<ContentElement, boolean>();
  #indents = 0;
  /** The first heading of the first level, as text. */
  hasTitle = false;

  /** @param hasMathInTexts whether a script of the page finds mathematics in its texts */
  constructor(prepared: Prepared, hasMathInTexts = false) {
    this.#prepared = prepared;
    this.#inlines = new InlineMarkdown(prepared, hasMathInTexts);
    this.#cells = {
      skipped: prepared.skipped,
      isBlock: (element) => this.#isBlock(element),
      inline: (nodes, place) => this.#inlines.textOf(nodes, place),
      blocks: (nodes) => this.#blocksOf(nodes),
    };
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
    const known = this.#contains.get(element);
    if (known !== undefined) return known;
    const isBlock =
      mathIn(element)?.isBlock === true ||
      (element.tag !== "a" &&
        element.children.some((child) => typeof child !== "string" && this.#isBlock(child)));
    this.#contains.set(element, isBlock);
    return isBlock;
  }

  #block(element: ContentElement): string[] {
    const { tag, children } = element;
    const { labels, skipped, notes } = this.#prepared;
    if (skipped.has(element)) return [];
    const id = attributeOf(element, "id");
    if (id !== undefined) this.#inlines.anchor = id;
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
        return [RULE];
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
        return [...before, ...tableBlocks(element, this.#cells)];
      case "summary": {
        const isHeading = children.some((child) => typeof child !== "string" && HEADING.test(child.tag));
        return isHeading ? this.#blocksOf(children) : [strong(this.#inlines.textOf(children))];
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
    const id = own ?? this.#inlines.anchor;
    const text = this.#inlines.textOf(element.children, { isInHeading: true }).replace(/\\\n/g, " ");
    if (text === "") return "";
    if (level === 1) this.hasTitle = true;
    return `${"#".repeat(level)} ${asHeading(`${text}${addressOf(id)}`)}`;
  }

  #paragraph(nodes: readonly ContentNode[]): string {
    const text = this.#inlines.textOf(nodes);
    const [, math] = /^\$\$([^$]+)\$\$$/.exec(text) ?? [];
    return math === undefined ? asParagraph(text) : `$$\n${math}\n$$`;
  }

  #code(element: ContentElement): string {
    const text = linesOf(element);
    if (text.trim() === "") return "";
    this.#inlines.anchor = "";
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
      if (id !== undefined) this.#inlines.anchor = id;
      const blocks = this.#nestedBlocks(child.children);
      if (blocks.length === 0) continue;
      // `- ---` would be one line across the page
      if (blocks[0] === RULE) blocks[0] = "***";
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
        if (firstBelow(child, isCode)) {
          items.push({ term: "", blocks: this.#nestedBlocks(child.children) });
          return;
        }
        const id = attributeOf(child, "id") ?? "";
        const term = this.#inlines.textOf(child.children).replace(/\\\n/g, " ");
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
    if (!NOTE(classes) || /(?:^|\s)hint--/.test(classes)) return undefined;
    const table = /(?:^|\s)admonitionblock(?=\s|$)/.test(classes) ? this.#noteOfTable(element) : undefined;
    if (table !== undefined) return table;
    const title = firstBelow(
      element,
      (each) =>
        NOTE_TITLE.test(classesOf(each)) ||
        HEADING.test(each.tag) ||
        /(?:^|\s)icon(?=\s|$)/.test(classesOf(each)),
    );
    const given = title && this.#inlines.textOf(title.children, { isInHeading: true });
    if (title && given !== "") this.#prepared.skipped.add(title);
    const kind = NOTE_KIND.exec(classes)?.[1] ?? "";
    const text = given || (kind === "" ? "" : kind.slice(0, 1).toUpperCase() + kind.slice(1).toLowerCase());
    const content = this.#nested(element.children);
    if (content === "" && text === "") return [];
    return [quoted([text === "" ? "" : strong(text), content].filter((each) => each !== "").join("\n\n"))];
  }

  /** A note of Asciidoctor, which is a table: beside its content is its kind, as a word or as an icon. */
  #noteOfTable(element: ContentElement): string[] | undefined {
    const [icon, content] = ["icon", "content"].map((name) =>
      firstBelow(element, (each) => each.tag === "td" && classesOf(each) === name),
    );
    if (icon === undefined || content === undefined) return undefined;
    const drawn = firstBelow(icon, ({ tag }) => tag === "i" || tag === "img");
    const named = drawn && (attributeOf(drawn, "title") ?? attributeOf(drawn, "alt"));
    const kind = named ?? this.#inlines.textOf(icon.children);
    const title = content.children.find(
      (child): child is ContentElement => typeof child !== "string" && classesOf(child) === "title",
    );
    const own = title && this.#inlines.textOf(title.children, { isInHeading: true });
    if (title) this.#prepared.skipped.add(title);
    const heading = [kind, own].filter((each) => each !== undefined && each !== "").join(": ");
    return [
      quoted([strong(heading), this.#nested(content.children)].filter((each) => each !== "").join("\n\n")),
    ];
  }

  #nested(nodes: readonly ContentNode[], note?: string): string {
    const text = this.#nestedBlocks(nodes).join("\n\n");
    return note === undefined ? text : text.replace(/^\[?\s*\]?[.:]?\s*/, "");
  }

  /** Blocks inside a list or a quotation. */
  #nestedBlocks(nodes: readonly ContentNode[]): string[] {
    this.#indents++;
    const blocks = this.#indents > MOST_INDENTS ? [flat(nodes)] : this.#blocksOf(nodes);
    this.#indents--;
    return blocks.filter((block) => block !== "");
  }
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

/** Whether an item's blocks are one text and lists below it. Only a list that begins with 1 needs no empty line before it. */
function isTight(blocks: readonly string[]): boolean {
  return blocks.slice(1).every((block) => /^(?:[-*]|1\.) /.test(block));
}

/** The mark of an item of a task list. */
function taskOf(item: ContentElement): string {
  const box = firstBelow(item, ({ tag }) => tag !== "p" && tag !== "label" && tag !== "span");
  if (box?.tag === "i") {
    const drawn = /(?:^|\s)fa-(check-)?square(?:-o)?(?=\s|$)/.exec(classesOf(box));
    if (drawn) return drawn[1] === undefined ? "[ ] " : "[x] ";
  }
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
