const HREF = ["href", "xlink:href"];

/** Attributes that are loaded, by the element that they are of. */
export const ADDRESSES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    animate: ["to", "from", "values"], // of SVG, of an address
    audio: ["src"],
    bgsound: ["src"],
    body: ["background"],
    embed: ["src"],
    feimage: HREF,
    filter: HREF,
    frame: ["src"],
    iframe: ["src"],
    image: [...HREF, "src"], // of SVG; outside of it, it is an old `img`
    img: ["src"],
    input: ["src"],
    lineargradient: HREF,
    mpath: HREF,
    object: ["data"],
    pattern: HREF,
    radialgradient: HREF,
    script: ["src", ...HREF], // the latter two in SVG
    set: ["to"],
    source: ["src"],
    table: ["background"],
    tbody: ["background"],
    td: ["background"],
    textpath: HREF,
    tfoot: ["background"],
    th: ["background"],
    thead: ["background"],
    tr: ["background"],
    track: ["src"],
    use: HREF,
    video: ["src", "poster"],
  }),
);

/** Lists of images. */
export const LISTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    img: "srcset",
    image: "srcset",
    source: "srcset",
    link: "imagesrcset",
  }),
);

/** Relations of a `<link>` that a browser opens a connection for. Others (`canonical`, `alternate`, `author`…) only tell. */
export const LOADING_RELATIONS = new Set([
  "apple-touch-icon",
  "apple-touch-icon-precomposed",
  "apple-touch-startup-image",
  "compression-dictionary",
  "dns-prefetch",
  "icon",
  "manifest",
  "mask-icon",
  "modulepreload",
  "preconnect",
  "prefetch",
  "preload",
  "prerender",
  "stylesheet",
]);

/** Attributes that hold a style's value, in SVG. */
export const PRESENTATION =
  /^(?:style|fill|stroke|filter|mask|clip-path|cursor|marker|marker-(?:start|mid|end))$/;
