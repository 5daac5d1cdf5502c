// Bundles the scripts and the style sheet of the search box for browsers, and puts its other files beside them.
import { build } from "esbuild";

await build({
  entryPoints: ["load.ts", "box.ts", "box.css", "index.html", "icon.svg"].map(
    (name) => `provider/publishing/search/browser/${name}`,
  ),
  outdir: "dist/provider/publishing/search/browser",
  bundle: true,
  format: "iife",
  // browsers of 2022
  target: ["es2022", "chrome105", "firefox121", "safari16"],
  charset: "ascii", // for pages in any encoding
  loader: { ".html": "copy", ".svg": "copy" },
  minify: true,
  logLevel: "warning",
});

// The program of the thread that reads pages: one file, because a thread of the native plugin has no package around it.
await build({
  entryPoints: ["provider/publishing/additions/pageProgram.ts"],
  outfile: "dist/provider/publishing/additions/pageProgram.js",
  bundle: true,
  platform: "node",
  target: "node22.12",
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  allowOverwrite: true,
  logLevel: "warning",
});
