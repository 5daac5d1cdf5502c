/** For each attribute, the elements that load its address. */
const LOADING: Readonly<Record<string, string>> = {
  src: "audio bgsound embed frame iframe img input script source track video image", // the last: an old `img`, outside SVG
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

/** The same for attributes with lists of images. */
const LISTING: Readonly<Record<string, string>> = { srcset: "img image source", imagesrcset: "link" };

const pairsOf = (table: Readonly<Record<string, string>>): ReadonlySet<string> =>
  new Set(
    Object.entries(table).flatMap(([name, elements]) => elements.split(" ").map((each) => `${each} ${name}`)),
  );

/** Attributes with an address that is loaded: `img src`. */
export const ADDRESSES = pairsOf(LOADING);

/** Attributes with a list of images: `img srcset`. */
export const LISTS = pairsOf(LISTING);

/**
 * Relations of a `<link>` for which browsers open a connection. Others (`canonical`, `alternate`, `author`…) are only
 * information.
 */
export const LOADING_RELATIONS: ReadonlySet<string> = new Set(
  (
    "apple-touch-icon apple-touch-icon-precomposed apple-touch-startup-image compression-dictionary dns-prefetch icon " +
    "manifest mask-icon modulepreload preconnect prefetch preload prerender stylesheet"
  ).split(" "),
);

/** Attributes of SVG with a style's value. */
export const PRESENTATION =
  /^(?:style|fill|stroke|filter|mask|clip-path|cursor|marker|marker-(?:start|mid|end))$/;
