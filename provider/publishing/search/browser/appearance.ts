// Whether a reader sees a dark page: sites switch by classes of their own, in any notation of colours, so only what is shown tells.
import { element, part } from "./builtIn";

/** Where the page is looked at, as shares of the window's width and height. */
const LOOKED_AT = [0.25, 0.5, 0.75];
/** Below this, what is behind is seen no more. */
const LEAST_TRANSPARENCY = 0.05;
/** The share of the window from which on a picture is the background of the page. */
const LARGE = 0.5;

/** The colour and its opacity, each from 0 to 1. */
type Colour = readonly [red: number, green: number, blue: number, alpha: number];

/** Whether the page is dark in most places. */
export function isDark(): boolean {
  const probe = element("i", { hidden: "" });
  part("documentElement").append(probe);
  const points = LOOKED_AT.flatMap((x) => LOOKED_AT.map((y) => [x * innerWidth, y * innerHeight] as const));
  const dark = points.filter(([x, y]) => brightnessAt(x, y, probe) < 0.5);
  probe.remove();
  return 2 * dark.length > points.length;
}

/** How bright a reader sees a place of the page, from 0 to 1. */
function brightnessAt(x: number, y: number, probe: HTMLElement): number {
  let [seen, transparency] = [0, 1];
  for (const each of behind(Document.prototype.elementFromPoint.call(document, x, y))) {
    const { backgroundColor, backgroundImage, color } = getComputedStyle(each);
    const [red, green, blue, alpha] = colourOf(backgroundColor, probe);
    seen += transparency * alpha * brightness(red, green, blue);
    transparency *= 1 - alpha;
    if (transparency < LEAST_TRANSPARENCY) return seen;
    // a picture is not read: a page with light text on it is dark
    if (backgroundImage !== "none" && isLarge(each)) {
      const [r, g, b] = colourOf(color, probe);
      return seen + transparency * (1 - brightness(r, g, b));
    }
  }
  // what the browser draws under everything, by the page's colour scheme
  const [red, green, blue] = colourOf("Canvas", probe);
  return seen + transparency * brightness(red, green, blue);
}

/** An element and all around it. The body's background is drawn under the whole page. */
function behind(element: Element | null): Element[] {
  const all: Element[] = [];
  for (let each = element; each; each = Reflect.get(Node.prototype, "parentElement", each)) all.push(each);
  return all.includes(part("body")) ? all : [...all, part("body")];
}

const brightness = (red: number, green: number, blue: number): number => red * 0.3 + green * 0.6 + blue * 0.1;

function isLarge(each: Element): boolean {
  const { width, height } = Element.prototype.getBoundingClientRect.call(each);
  return width * height > LARGE * innerWidth * innerHeight;
}

/** Any CSS colour, which the browser converts. */
function colourOf(colour: string, probe: HTMLElement): Colour {
  const shown = (value: string): string => {
    probe.style.setProperty("background-color", value, "important");
    return getComputedStyle(probe).backgroundColor;
  };
  const own = /^rgb/.test(colour) ? colour : shown(colour);
  const isBytes = /^rgb/.test(own);
  const converted = isBytes ? own : shown(`color-mix(in srgb, ${own}, ${own})`);
  const numbers = (/^color\(srgb |^rgb/.test(converted) && converted.match(/-?[\d.]+(?:e[-+]?\d+)?/g)) || [];
  const most = isBytes ? 255 : 1;
  const [red = 0, green = 0, blue = 0, alpha = numbers.length > 0 ? 1 : 0] = numbers.map(Number);
  return [red / most, green / most, blue / most, alpha];
}
