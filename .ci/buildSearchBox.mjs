// Bundles the two scripts of the search box for browsers.
import { build } from "esbuild";

await build({
  entryPoints: ["load", "box"].map((name) => `provider/search/browser/${name}.ts`),
  outdir: "dist/provider/search/browser",
  bundle: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  minify: true,
  logLevel: "warning",
});
