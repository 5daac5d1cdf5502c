import { codeSpan, escaped, type TextPlace } from "./escape";

const EDGE = /[\p{L}\p{N}]/u;

/** Characters of marks that a text may begin or end with. */
const [STAR_AT_END, TILDE_AT_END] = [/^\*\s|\s\*$/, /^~|~$/];

/** White space other than a single space. */
const UNEVEN = /[^\S ]|\u200b| {2}/;

interface PendingMark {
  readonly open: number;
  readonly close: number;
  /** The element that says the same in HTML. */
  readonly tag: string;
  /** What it consists of. */
  readonly character: string;
  readonly isAfterLetter: boolean;
}

/** Collects the words and marks of one block. White space is one space, and belongs to no mark. */
export class InlineText {
  readonly #pieces: string[] = [];
  readonly #place: TextPlace;
  /** The last character; empty at the beginning. */
  #last = "";
  /** The span of code that is being written: two of them side by side would be read as one. */
  #code: { readonly at: number; readonly parts: string[] } | undefined;
  /** Whether a space comes before what follows. */
  #hasSpace = false;
  /** Whether a space came before the first word. */
  #isSpaceFirst = false;
  /** A mark that ended just now, by the places of its beginning and end: what follows can make it none. */
  #pending: PendingMark | undefined;

  constructor(place: TextPlace) {
    this.#place = place;
  }

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  get text(): string {
    this.#endCode();
    return this.#pieces.join("");
  }

  /** A text as a page has it. */
  words(raw: string): void {
    const text = UNEVEN.test(raw) ? raw.replace(/[\s\u200b]+/g, " ") : raw;
    const words = text.trim();
    if (text.startsWith(" ")) this.#hasSpace = true;
    if (words === "") return;
    const before = this.#hasSpace ? " " : this.#last;
    this.markup(escaped(words, before, this.#place), words[0]);
    this.#hasSpace = text.endsWith(" ");
  }

  /** The text without a line break at its end. */
  get line(): string {
    return this.#endsWithBreak ? this.text.slice(0, -this.#break.length) : this.text;
  }

  get #endsWithBreak(): boolean {
    return this.#pieces.at(-1) === this.#break;
  }

  get #break(): string {
    return this.#place.isInCell ? "<br>" : "\\\n";
  }

  space(): void {
    this.#hasSpace = true;
  }

  /** Markdown or HTML. @param first the first character that a reader sees */
  markup(markup: string, first = ""): void {
    if (markup === "") return;
    this.#settle(first);
    if (markup.startsWith("[") && !this.#hasSpace) this.#guardImage();
    this.#join();
    this.#push(markup);
  }

  /** Code as a page has it. */
  code(raw: string): void {
    const text = raw.replace(/\s+/g, " ");
    const code = text.trim();
    if (text.startsWith(" ")) this.#hasSpace = true;
    if (code === "") return;
    if (this.#code === undefined || this.#hasSpace) {
      this.markup("`", "`"); // stands for the span until its end is known
      this.#code = { at: this.#pieces.length - 1, parts: [] };
    }
    this.#code.parts.push(code);
    this.#hasSpace = text.endsWith(" ");
  }

  #endCode(): void {
    if (this.#code === undefined) return;
    const { at, parts } = this.#code;
    this.#pieces[at] = codeSpan(parts.join(""), this.#place.isInCell);
    this.#code = undefined;
  }

  lineBreak(): void {
    this.#pending = undefined;
    this.#hasSpace = false;
    if (this.isEmpty) this.#isSpaceFirst = true;
    else if (!this.#endsWithBreak) this.#push(this.#break);
  }

  /** Adds a part that was written by itself. White space at its ends belongs to no mark. @param add adds its text */
  enclose(inner: InlineText, add: (text: string) => void): void {
    const { line } = inner;
    if (inner.#isSpaceFirst || (inner.isEmpty && inner.#hasSpace)) this.#hasSpace = true;
    if (line === "") return;
    add(line);
    this.#hasSpace ||= inner.#hasSpace || inner.#endsWithBreak;
  }

  /** What `write` writes, between two marks. @param tag of HTML, where Markdown's marks would not be read as such */
  marked(mark: string, tag: string, write: (inner: InlineText) => void): void {
    const inner = new InlineText(this.#place);
    write(inner);
    this.enclose(inner, (text) => this.#mark(text, mark, tag));
  }

  #mark(text: string, mark: string, tag: string): void {
    const [first = ""] = text;
    const last = text.at(-1) ?? "";
    this.#settle("a"); // its own mark follows
    const before = this.#hasSpace ? "" : this.#last;
    this.#join();
    // beside the mark of another element, or of the text, nobody could tell which is whose
    const isClear = before !== mark[0] && !(mark === "~~" ? TILDE_AT_END : STAR_AT_END).test(text);
    const opens = isClear && (EDGE.test(first) || !EDGE.test(before));
    const open = this.#pieces.length;
    this.#push(opens ? mark : `<${tag}>`);
    this.#push(text);
    this.#push(opens ? mark : `</${tag}>`);
    if (opens) {
      const close = this.#pieces.length - 1;
      this.#pending = { open, close, tag, character: mark[0] ?? "", isAfterLetter: EDGE.test(last) };
    }
  }

  /** A link after an exclamation mark would be an image. */
  #guardImage(): void {
    const before = this.#pieces.at(-1);
    if (before?.endsWith("!") === true) this.#pieces[this.#pieces.length - 1] = `${before.slice(0, -1)}\\!`;
  }

  #push(piece: string): void {
    this.#endCode();
    this.#pieces.push(piece);
    this.#last = piece.at(-1) ?? this.#last;
  }

  #join(): void {
    if (this.#hasSpace && this.isEmpty) this.#isSpaceFirst = true;
    else if (this.#hasSpace && this.#last !== "\n") this.#push(" ");
    this.#hasSpace = false;
  }

  /** A mark after punctuation, before a letter, would not end: `**«word»**s`. Nor would one before its own character: `~~word~~~`. */
  #settle(next: string): void {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending === undefined || this.#hasSpace) return;
    const { open, close, tag, character, isAfterLetter } = pending;
    if (next !== character && (isAfterLetter || !EDGE.test(next))) return;
    this.#pieces[open] = `<${tag}>`;
    this.#pieces[close] = `</${tag}>`;
  }
}
