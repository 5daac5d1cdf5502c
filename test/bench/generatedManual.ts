import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { seededRandom } from "../simulation/seededRandom.ts";

const PAGES_PER_FOLDER = 25;

const WORDS =
  `the a request response server plugin option value returns before after handler when schema route must default object
  string number called each instance error stream listens encapsulated context register decorator hook timeout reply body
  headers query cookie session token cache worker thread queue retry limit window`.split(/\s+/);

const CODE: readonly [language: string, lines: readonly string[]][] = [
  [
    "ts",
    [
      "import { connect } from './client.ts'",
      "export async function run(options: Options): Promise<void> {",
      "  const client = await connect({ url: `https://${options.host}`, retries: 3 })",
      "  for (const item of await client.list('documents')) console.log(item.id, item.size / 1024)",
      "}",
    ],
  ],
  [
    "bash",
    ["npm install --save example-client", 'EXAMPLE_TOKEN="$(cat token)" npx example run --verbose | tee log'],
  ],
  [
    "json",
    [
      "{",
      '  "name": "example",',
      '  "limits": { "perSecond": 20, "burst": [1, 2, 3] },',
      '  "strict": true',
      "}",
    ],
  ],
  ["yaml", ["service:", "  replicas: 3", "  image: example:1.2.3 # pinned", "  ports: [80, 443]"]],
];

/** Writes a manual like real ones: folders, prose, tables, code in four languages, links between pages. The same seed writes the same bytes. */
export async function writeManual(folder: string, pageCount: number, seed: number): Promise<void> {
  const random = seededRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const words = (count: number) => Array.from({ length: count }, () => pick(WORDS)).join(" ");
  const sentence = () => `The ${words(8 + Math.floor(random() * 12))}.`;
  const pathOf = (page: number) =>
    page === 0 ? "index.md" : `part-${Math.floor(page / PAGES_PER_FOLDER)}/page-${page}.md`;

  const section = (page: number, number: number) => {
    const upwards = page === 0 ? "" : "../";
    const target = Math.floor(random() * pageCount);
    const [language, lines] = pick(CODE);
    const rows = Array.from({ length: 5 }, () => `| \`${pick(WORDS)}\` | ${words(2)} | ${sentence()} |`);
    return [
      `## Section ${number}: ${words(3)}`,
      [sentence(), sentence(), `See [page ${target}](${upwards}${pathOf(target)}).`, sentence()].join(" "),
      ["```" + language, ...lines, ...lines, "```"].join("\n"),
      `- ${sentence()}\n- **${words(2)}**: ${sentence()}\n- ${sentence()}`,
      ["| Option | Type | Meaning |", "| --- | --- | --- |", ...rows].join("\n"),
    ].join("\n\n");
  };
  for (let page = 0; page < pageCount; page++) {
    const sections = [1, 2, 3, 4].map((number) => section(page, number));
    const file = join(folder, pathOf(page));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `# Page ${page}: ${words(3)}\n\n${sentence()}\n\n${sections.join("\n\n")}\n`);
  }
}
