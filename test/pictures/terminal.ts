import { COLOURS, FONTS, type Scheme } from "./colours.ts";

/** A line of a terminal, and when it appears. */
export interface TerminalLine {
  readonly text: string;
  /** Seconds from the beginning. */
  readonly at: number;
}

export interface Recording {
  readonly lines: readonly TerminalLine[];
  /** Seconds; then it begins again. */
  readonly duration: number;
  readonly columns: number;
}

const FONT_SIZE = 13.5;
const LINE_HEIGHT = 18;
/** Of a fixed-width font, as part of its size. */
const CHARACTER_WIDTH = 0.602;
const MARGIN = 18;

/**
 * Draws a recording as SVG that plays by style alone: a script would not run in an image. Readers who want no motion see the last
 * picture, and so does a program that ignores the animation. It also comes first, so that a reader never waits for a text.
 */
export function drawTerminal({ lines, duration, columns }: Recording, scheme: Scheme): string {
  const { panel, line: border } = COLOURS[scheme];
  const width = Math.ceil(columns * FONT_SIZE * CHARACTER_WIDTH) + 2 * MARGIN;
  const height = lines.length * LINE_HEIGHT + 2 * MARGIN;
  const moments = [...new Set(lines.map(({ at }) => at))].filter((at) => at > 0);
  const last = Math.max(0, ...moments) + 0.01;
  const percent = (at: number): string => ((at / duration) * 100).toFixed(2);
  const styles = moments.map(
    (at, index) =>
      `@keyframes k${index}{0%,${percent(at)}%{opacity:0}${percent(at + 0.01)}%,100%{opacity:1}}` +
      `.k${index}{animation:k${index} ${duration}s linear -${last}s infinite}`,
  );
  const texts = lines.map(({ text, at }, index) => {
    const moment = moments.indexOf(at);
    const y = MARGIN + (index + 0.75) * LINE_HEIGHT;
    return `<text x="${MARGIN}" y="${y}"${moment === -1 ? "" : ` class="k${moment}"`} xml:space="preserve">${coloured(text, scheme)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="A recording of pulumi up">
<style>text{font:${FONT_SIZE}px ${FONTS.code};fill:${COLOURS[scheme].text};white-space:pre}@media (prefers-reduced-motion:no-preference){${styles.join("")}}</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" fill="${panel}" stroke="${border}"/>
${texts.join("\n")}
</svg>
`;
}

/** The prompt and what is typed stand out; secrets and codes have the colour of the project. */
function coloured(text: string, scheme: Scheme): string {
  const { muted, ours } = COLOURS[scheme];
  if (text.startsWith("$ ")) {
    return `<tspan fill="${muted}">$ </tspan><tspan font-weight="600">${escaped(text.slice(2))}</tspan>`;
  }
  return escaped(text).replace(
    /\[secret\]|\b(?:NEW|UP_TO_DATE)\b|unchanged/g,
    (word) => `<tspan fill="${ours}" font-weight="600">${word}</tspan>`,
  );
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
