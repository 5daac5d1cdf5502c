// At the end of each build: the folder `plugin/` of the package, from which Pulumi starts the native plugin. `plugin.js` contains
// every package that it loads, also those that are optional to programs in TypeScript: a program in Python has no npm to install them.
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import { noticesOf } from "./notices.mjs";
import { publishedSchema } from "./schema/publishedSchema.ts";

const FOLDER = "plugin";
/** Files that the code reads by `packageText` (provider/base/runtime/files/packageText.ts). */
const TEXTS = [
  "dist/provider/publishing/download/downloadWriter.js",
  "dist/provider/base/runtime/files/checkFiles.js",
  "dist/provider/publishing/additions/pageProgram.js",
  "dist/provider/publishing/search/browser/box.css",
  "dist/provider/publishing/search/browser/box.js",
  "dist/provider/publishing/search/browser/icon.svg",
  "dist/provider/publishing/search/browser/index.html",
  "dist/provider/publishing/search/browser/load.js",
  "provider/publishing/images/siteImage/server.conf",
  "provider/kits/contents/manifest.schema.json",
  "provider/kits/scripts/README.template.md",
  "provider/kits/scripts/install.sh",
  "provider/kits/scripts/load.sh",
  "provider/kits/scripts/verify.sh",
  "provider/publishing/search/languages/endings.txt",
  "provider/publishing/search/languages/interface.txt",
  "provider/publishing/search/languages/stopWords.txt",
  "provider/publishing/search/languages/synonyms.txt",
];

const { repository, version } = JSON.parse(readFileSync("package.json", "utf8"));
const schema = publishedSchema(
  JSON.parse(readFileSync("provider/adapters/plugin/schema.json", "utf8")),
  repository,
);

const { metafile, outputFiles } = await build({
  entryPoints: ["dist/provider/plugin.js"],
  outfile: `${FOLDER}/plugin.js`,
  bundle: true,
  platform: "node",
  target: "node22.12",
  // names stay: they are in stacks, which people send with their reports
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none", // they are in the notices
  plugins: [
    {
      name: "schema",
      setup({ onLoad }) {
        const filter = /adapters.plugin.schema\.json$/;
        onLoad({ filter }, () => ({ contents: JSON.stringify(schema), loader: "json" }));
      },
    },
  ],
  define: {
    EMBEDDED_TEXTS: JSON.stringify(
      Object.fromEntries([
        ...TEXTS.map((path) => [path, readFileSync(path, "utf8")]),
        ["package.json", JSON.stringify({ version })],
      ]),
    ),
  },
  metafile: true,
  logLevel: "warning",
  write: false,
});

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER);
cpSync("provider/adapters/plugin/launcher", FOLDER, { recursive: true });
chmodSync(`${FOLDER}/pulumi-resource-docs-hosting`, 0o755);
writeFileSync(`${FOLDER}/schema.json`, `${JSON.stringify(schema, undefined, 2)}\n`);
writeFileSync(`${FOLDER}/plugin.js`, outputFiles[0].contents);
writeFileSync(`${FOLDER}/LICENSES.txt`, noticesOf(Object.keys(metafile.inputs)));
