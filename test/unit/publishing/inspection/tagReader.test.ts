// Which tags are left out because they load nothing, beside a reader of all tags.
import fc from "fast-check";
import type { Token } from "parse5";
import { expect, test } from "vitest";
import { mayLoad } from "../../../../provider/publishing/inspection/cssLoads.ts";
import { ADDRESSES, LISTS, PRESENTATION } from "../../../../provider/publishing/inspection/loadingTags.ts";
import { MarkupReader } from "../../../../provider/publishing/inspection/markupReader.ts";
import { TagReader } from "../../../../provider/publishing/inspection/tagReader.ts";

interface SeenTag {
  readonly name: string;
  readonly isEnd: boolean;
  readonly attributes: readonly (readonly [name: string, value: string, start: number, end: number])[];
  readonly start: number;
  readonly end: number;
}

function seen({ tagName: name, attrs, location }: Token.TagToken, isEnd: boolean): SeenTag {
  const { startOffset: start = -1, endOffset: end = -1, attrs: places = {} } = location ?? {};
  const attributes = attrs.map(({ name: attribute, value }) => {
    const { startOffset = -1, endOffset = -1 } = places[attribute] ?? {};
    return [attribute, value, startOffset, endOffset] as const;
  });
  return { name, isEnd, attributes: isEnd ? [] : attributes, start, end };
}

class AllTags extends MarkupReader {
  readonly tags: SeenTag[] = [];
  override onCharacter(): void {}
  override onComment(): void {}
  protected override startTag(token: Token.TagToken): void {
    this.tags.push(seen(token, false));
  }
  protected override endTag(token: Token.TagToken): void {
    this.tags.push(seen(token, true));
  }
}

class ReadTags extends TagReader {
  readonly tags: SeenTag[] = [];
  protected override readonly isReadingText = false;
  override onCharacter(): void {}
  override onComment(): void {}
  protected override startTag(token: Token.TagToken): void {
    this.tags.push(seen(token, false));
  }
  protected override endTag(token: Token.TagToken): void {
    this.tags.push(seen(token, true));
  }
}

function tagsOf(reader: AllTags | ReadTags, slices: readonly string[]): readonly SeenTag[] {
  for (const slice of slices) reader.write(slice);
  return reader.tags;
}

const READ = /^(?:base|link|meta|script|style|iframe|svg|math|title|textarea)$/;

/** Whether a tag may load something, or changes how the tokenizer reads on. */
function isWanted({ name, attributes }: SeenTag): boolean {
  const place = (attribute: string): string => `${name.toLowerCase()} ${attribute}`;
  const loads = attributes.some(
    ([attribute, value]) =>
      ADDRESSES.has(place(attribute)) ||
      LISTS.test(place(attribute)) ||
      (PRESENTATION.test(attribute) && mayLoad(value)),
  );
  return loads || READ.test(name);
}

const PIECES = (
  '<p>|</p>|<p class="a b">|<a href="x?a=b#c">|<a href=x/>|</a >|<div id=\'q\' data-x>|<br/>|<td background=b.png>|<TD BACKGROUND=b>|' +
  '<span style="color: red">|<span style="a:url(x)">|<span style=a:url(x)>|<i style="a:url&#40;x)">|<i STYLE=\'a:ur\\6c(x)\'>|' +
  '<img src=i.png>|<IMG SRC="j.png" alt=">">|<script src=s.js>|<script>|</script>|<style>|</style>|<title>|</title>|<textarea>|</textarea>|' +
  "<svg>|<svg/>|</svg>|<math>|</math>|<mi>|</mi>|<foreignObject>|</foreignObject>|<desc>|</desc>|<use href=#a>|<image href=i>|<path d=M0>|" +
  '<!--|-->|<!>|<?x |<![CDATA[|]]>|<|</|>|"|\'|=|/| |&amp;|&|<p\u00a0x="|<p \u00a0y=\'|<b a="1"b="2">|<b a = "1" c>|<p a/b="c">|<p =x>|<p "x">|' +
  "\0|<p\0a>|\r\n|\r|\n|\t|\f|\v|\u2028|é|😀|a text that is longer than most parts of it are|<imgx src=a>|<x-img src=a>|<p:img src=a>|" +
  '<link rel=stylesheet href="l.css">|<base href=b>|<iframe srcdoc="<p>">|<plaintext>|<p filter=a fill="url(x)">|<input type=image src=n>'
).split("|");
const markup = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).chain((pieces) =>
  fc
    .array(fc.nat(pieces.length), { maxLength: 3 })
    .map((cuts) => [0, ...cuts.toSorted((one, other) => one - other), pieces.length])
    .map((ends) => ends.slice(1).map((end, at) => pieces.slice(ends[at], end).join(""))),
);

test("tags that may load something are read with their places in the text, all others are left out or read alike", () => {
  fc.assert(
    fc.property(markup, (slices) => {
      const all = tagsOf(new AllTags(false, true), slices);
      const read = tagsOf(new ReadTags(false, true), slices);
      const rest = read.values();
      let next = rest.next().value;
      const leftOut: SeenTag[] = [];
      for (const tag of all) {
        if (JSON.stringify(tag) === JSON.stringify(next)) next = rest.next().value;
        else leftOut.push(tag);
      }
      expect(next).toBe(undefined); // no tag that is none, no other place
      expect(leftOut.filter(isWanted)).toStrictEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

test("in XML, every tag is read", () => {
  fc.assert(
    fc.property(markup, (slices) => {
      expect(tagsOf(new ReadTags(true, true), slices)).toStrictEqual(tagsOf(new AllTags(true, true), slices));
    }),
  );
});

test("ordinary tags of a page are left out", () => {
  const page =
    '<div class="a" id=b><p>Text<a href="https://other.example/">link</a><br/></p><span style="color:red">x</span>' +
    '<td background="b.png"><img src="c.png"></div>';
  expect(tagsOf(new ReadTags(false), [page]).map(({ name }) => name)).toStrictEqual(["td", "img"]);
});
