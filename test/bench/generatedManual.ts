import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const PAGES_PER_FOLDER = 25;
const SECTIONS = 4;

const PROSE =
  "The request has a body, headers and a query; the server decorates it before any handler reads the schema. " +
  "The timeout of a retry is that of its session: a worker whose queue is full returns an error to the stream.";

const CODE = `\`\`\`ts
import { connect } from './client.ts'
export async function run(options: Options): Promise<void> {
  const client = await connect({ url: \`https://\${options.host}\`, retries: 3 })
  for (const item of await client.list('documents')) console.log(item.id, item.size / 1024)
}
\`\`\`

\`\`\`bash
npm install --save example-client
EXAMPLE_TOKEN="$(cat token)" npx example run --verbose | tee log
\`\`\`

\`\`\`yaml
service:
  replicas: 3
  image: example:1.2.3 # pinned
  ports: [80, 443]
\`\`\``;

const TABLE = `| Option | Type | Meaning |\n| --- | --- | --- |\n${`| \`retries\` | a number | ${PROSE} |\n`.repeat(5)}`;

/** Writes a manual like real ones: folders, prose, tables, code in three languages, links between pages. */
export async function writeManual(folder: string, pageCount: number): Promise<void> {
  const pathOf = (page: number): string =>
    page === 0 ? "index.md" : `part-${Math.floor(page / PAGES_PER_FOLDER)}/page-${page}.md`;
  for (let page = 0; page < pageCount; page++) {
    const sections = Array.from({ length: SECTIONS }, (_, section) => {
      const target = (page * 7 + section * 13) % pageCount;
      const link = `See [page ${target}](${page === 0 ? "" : "../"}${pathOf(target)}).`;
      return [`## Section ${section}`, `${PROSE} ${link}`, CODE, `- ${PROSE}\n- **Note**: ${PROSE}`, TABLE];
    });
    const file = join(folder, pathOf(page));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, [`# Page ${page}`, PROSE, ...sections.flat()].join("\n\n"));
  }
}
