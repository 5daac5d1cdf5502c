import { createHash } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { appendFile, cp, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { cacheFolder } from "../programs/cacheFolder.ts";
import { runCommand } from "../programs/commands.ts";
import { digestOf, NPM, NPM_OF_DATE, PIP, QUIET, VENV } from "./builtSite.ts";

/** A change of a source: a text of a file in the place of another, or one at its end (of a new file, if there is none). */
type Edit = readonly [file: string, change: { readonly text: string; readonly by: string } | string];

interface Versioned {
  /** The folder of its sources, from this one. */
  readonly sources: string;
  /** Run once. */
  readonly install: readonly (readonly string[])[];
  /** Run for each version. */
  readonly build: readonly string[];
  /** The folder of its output. */
  readonly output: string;
  /** What makes the first version of the sources. @default nothing */
  readonly first?: readonly Edit[];
  /** What makes the second version of the first one: texts, scripts, styles and pictures change. */
  readonly edits: readonly Edit[];
}

/** For packages that are younger. */
const NPM_OF_LATER_DATE = NPM_OF_DATE.map((argument) =>
  argument.startsWith("--before=") ? "--before=2026-11-27" : argument,
);
const NPM_BUILD = ["npm", "run", "build"];
const LOGO: Edit["1"] = { text: "version 1", by: "version 2" };

const NEXTJS: Versioned = {
  sources: "nextjs",
  install: [NPM],
  build: NPM_BUILD,
  output: "out",
  edits: [
    ["app/switch.jsx", { text: "The lamp is", by: "This lamp is now" }],
    ["app/style.css", "h1 { margin: 1px; }\n"],
    ["app/lamp.png", "\n"],
    ["app/extra/page.jsx", "export default function Extra() { return <h1>New</h1>; }\n"],
  ],
};

/** Generators, each with two versions of a site. */
const VERSIONED = {
  "Next.js": NEXTJS,
  "Next.js with a build id that somebody chose": {
    ...NEXTJS,
    first: [
      ["next.config.mjs", { text: 'output: "export"', by: 'output: "export", generateBuildId: () => "v1"' }],
    ],
  },
  Vite: {
    sources: "versions/vite",
    install: [NPM_OF_LATER_DATE],
    build: NPM_BUILD,
    output: "dist",
    edits: [
      ["src/lazy.js", { text: "version 1", by: "version 2" }],
      ["src/main.js", "console.log(2);\n"],
      ["src/style.css", { text: "red", by: "blue" }],
      ["src/logo.svg", LOGO],
    ],
  },
  Docusaurus: {
    sources: "docusaurus",
    install: [NPM_OF_DATE],
    build: NPM_BUILD,
    output: "build",
    edits: [
      ["docs/intro.md", "\nOne more sentence.\n"],
      ["docs/descaling.mdx", "\nOne more sentence.\n"],
      ["static/img/kettle.svg", "\n"],
    ],
  },
  Astro: {
    sources: "versions/astro",
    install: [NPM_OF_DATE],
    build: NPM_BUILD,
    output: "dist",
    edits: [
      ["src/say.js", { text: "version 1", by: "version 2" }],
      ["src/pages/index.astro", { text: "red", by: "blue" }],
      ["src/assets/logo.svg", LOGO],
    ],
  },
  SvelteKit: {
    sources: "versions/sveltekit",
    install: [NPM_OF_LATER_DATE],
    build: NPM_BUILD,
    output: "build",
    edits: [
      ["src/routes/+page.svelte", { text: "version 1", by: "version 2" }],
      ["src/routes/+page.svelte", { text: "red", by: "blue" }],
      ["src/lib/logo.svg", LOGO],
    ],
  },
  Nuxt: {
    sources: "versions/nuxt",
    install: [NPM_OF_LATER_DATE],
    build: NPM_BUILD,
    output: ".output/public",
    edits: [
      ["pages/index.vue", { text: "version 1", by: "version 2" }],
      ["pages/index.vue", { text: "red", by: "blue" }],
      ["assets/logo.svg", LOGO],
    ],
  },
  Sphinx: {
    sources: "sphinx",
    install: [VENV, PIP],
    build: ["sh", "-c", "rm -rf html && venv/bin/sphinx-build -q -D exclude_patterns=venv . html"],
    output: "html",
    edits: [
      ["winding.rst", "\nOne more sentence.\n"],
      ["clock.svg", "\n"],
    ],
  },
} satisfies Record<string, Versioned>;

export type GeneratorName = keyof typeof VERSIONED;

export const GENERATOR_NAMES = Object.keys(VERSIONED) as GeneratorName[];

/**
 * Builds two versions of a site by its generator, once, and again after a change of the sources or of the table above.
 *
 * @returns the folders of both
 */
export async function buildVersions(
  name: GeneratorName,
  say: (what: string) => void,
): Promise<[first: string, second: string]> {
  const { sources, install, build, output, first = [], edits }: Versioned = VERSIONED[name];
  const from = join(import.meta.dirname, sources);
  const table = createHash("sha256").update(JSON.stringify(VERSIONED[name])).digest("hex").slice(0, 12);
  const built = join(
    await cacheFolder("foreign-sites"),
    `versions-${name.replaceAll(/\W+/g, "-")}-${await digestOf(from)}-${table}`,
  );
  const versions: [string, string] = [join(built, "1"), join(built, "2")];
  if (existsSync(built)) return versions;
  say(`building two versions of a site of ${name}, which takes some minutes, once`);
  const work = await mkdtemp(`${built}.draft-`);
  try {
    const folder = join(work, "sources");
    await cp(from, folder, { recursive: true });
    const run = ([command = "", ...args]: readonly string[]): Promise<string> =>
      runCommand(command, args, { cwd: folder, env: { ...process.env, ...QUIET } });
    for (const command of install) await run(command);
    for (const [version, changes] of [
      ["1", first],
      ["2", edits],
    ] as const) {
      for (const edit of changes) await apply(folder, edit);
      await rm(join(folder, output), { recursive: true, force: true });
      await run(build);
      await cp(join(folder, output), join(work, "built", version), { recursive: true, dereference: true });
    }
    await rename(join(work, "built"), built);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return versions;
}

async function apply(folder: string, [file, change]: Edit): Promise<void> {
  const path = join(folder, file);
  if (typeof change === "string") {
    mkdirSync(dirname(path), { recursive: true });
    return appendFile(path, change);
  }
  const before = await readFile(path, "utf8");
  if (!before.includes(change.text)) throw new Error(`${file} does not have the text ${change.text}.`);
  await writeFile(path, before.replace(change.text, change.by));
}
