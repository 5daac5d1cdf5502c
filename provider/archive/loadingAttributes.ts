/** Elements by the attribute that they load. */
const LOADING: Readonly<Record<string, string>> = {
  src: "audio bgsound embed frame iframe img input script source track video image", // the last is an old `img`, outside of SVG
  data: "object",
  poster: "video",
  background: "body table tbody td tfoot th thead tr",
  // of SVG
  href: "feimage filter image lineargradient mpath pattern radialgradient script textpath use",
  "xlink:href": "feimage filter image lineargradient mpath pattern radialgradient script textpath use",
  from: "animate",
  to: "animate set",
  values: "animate",
};

/** The same for lists of images. */
const LISTING: Readonly<Record<string, string>> = { srcset: "img image source", imagesrcset: "link" };

const pairsOf = (table: Readonly<Record<string, string>>): ReadonlySet<string> =>
  new Set(
    Object.entries(table).flatMap(([name, elements]) => elements.split(" ").map((each) => `${each} ${name}`)),
  );

/** Attributes that are loaded: `img src`. */
export const ADDRESSES = pairsOf(LOADING);

/** Lists of images: `img srcset`. */
export const LISTS = pairsOf(LISTING);

/** Relations of a `<link>` that a browser opens a connection for. Others (`canonical`, `alternate`, `author`…) only tell. */
export const LOADING_RELATIONS: ReadonlySet<string> = new Set(
  (
    "apple-touch-icon apple-touch-icon-precomposed apple-touch-startup-image compression-dictionary dns-prefetch icon " +
    "manifest mask-icon modulepreload preconnect prefetch preload prerender stylesheet"
  ).split(" "),
);

/** Attributes that hold a style's value, in SVG. */
export const PRESENTATION =
  /^(?:style|fill|stroke|filter|mask|clip-path|cursor|marker|marker-(?:start|mid|end))$/;
