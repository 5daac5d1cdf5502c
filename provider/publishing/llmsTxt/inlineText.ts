import { codeSpan, escaped, type TextPlace } from "./escape";

const EDGE = /[\p{L}\p{N}]/u;

/** White space other than a single space. */
const UNEVEN = /[^\S ]|\u200b| {2}/;

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
  /** A mark that ended just now, by the places of its beginning and end: it is one only if no letter follows. */
  #pending: { readonly open: number; readonly close: number; readonly tag: string } | undefined;

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
    const { text } = this;
    if (text.endsWith("\\\n")) return text.slice(0, -2);
    return text.endsWith("<br>") ? text.slice(0, -4) : text;
  }

  space(): void {
    this.#hasSpace = true;
  }

  /** Markdown or HTML. @param first the first character that a reader sees */
  markup(markup: string, first = ""): void {
    if (markup === "") return;
    this.#settle(first);
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
    const mark = this.#place.isInCell ? "<br>" : "\\\n";
    if (this.isEmpty || this.#pieces.at(-1) === mark) return;
    this.#push(mark);
  }

  /** What `write` writes, between two marks. @param tag of HTML, where Markdown's marks would not be read as such */
  marked(mark: string, tag: string, write: (inner: InlineText) => void): void {
    const inner = new InlineText(this.#place);
    write(inner);
    const text = inner.line;
    if (inner.#isSpaceFirst || (inner.isEmpty && inner.#hasSpace)) this.#hasSpace = true;
    if (text === "") return;
    const [first = ""] = text;
    const last = text.at(-1) ?? "";
    this.#settle("a"); // its own mark follows
    const before = this.#hasSpace ? "" : this.#last;
    this.#join();
    // beside the mark of another element, nobody could tell which is whose
    const opens = before !== mark[0] && (EDGE.test(first) || !EDGE.test(before));
    const open = this.#pieces.length;
    this.#push(opens ? mark : `<${tag}>`);
    this.#push(text);
    this.#push(opens ? mark : `</${tag}>`);
    if (opens && !EDGE.test(last)) this.#pending = { open, close: this.#pieces.length - 1, tag };
    this.#hasSpace = inner.#hasSpace;
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

  /** A mark after punctuation, before a letter, would not end: `**«word»**s`. */
  #settle(next: string): void {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending === undefined || this.#hasSpace || !EDGE.test(next)) return;
    const { open, close, tag } = pending;
    this.#pieces[open] = `<${tag}>`;
    this.#pieces[close] = `</${tag}>`;
  }
}
