export type Scheme = "light" | "dark";

export const SCHEMES: readonly Scheme[] = ["light", "dark"];

/** As code hosts show documents, so that a picture looks like a part of the page. */
export const COLOURS: Readonly<
  Record<Scheme, Readonly<Record<"page" | "panel" | "text" | "muted" | "line" | "ours" | "other", string>>>
> = {
  light: {
    page: "#ffffff",
    panel: "#f6f8fa",
    text: "#1f2328",
    muted: "#59636e",
    line: "#d1d9e0",
    ours: "#2a52be",
    other: "#9aa4af",
  },
  dark: {
    page: "#0d1117",
    panel: "#151b23",
    text: "#f0f6fc",
    muted: "#9198a1",
    line: "#3d444d",
    ours: "#8aa8ff",
    other: "#6b747e",
  },
};

/** Fonts that every system has: a picture may load none. */
export const FONTS = {
  text: "-apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif",
  code: "ui-monospace, SFMono-Regular, 'SF Mono', Menlo, Consolas, 'Liberation Mono', monospace",
};
