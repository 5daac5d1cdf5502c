import { format, resolveConfig } from "prettier";
import { isMap, isScalar, parseDocument, type YAMLMap } from "yaml";

interface Row {
  name: string;
  shown: string;
  meaning: string;
}

/** The generated part of the chart's README: the whole section. */
const HEADING = "## Values\n";

/**
 * The README with the table of these values.
 *
 * @param readme with a section «Values», its last
 * @param valuesYaml with the comments that helm-docs knows: `# -- meaning` before a value, `# @default -- text` where its
 *   default is too long for a table
 */
export async function withValuesTable(readme: string, valuesYaml: string): Promise<string> {
  const end = readme.indexOf(HEADING);
  if (end === -1) throw new Error(`The README has no heading «${HEADING.trim()}».`);
  const { contents } = parseDocument(valuesYaml);
  if (!isMap(contents)) throw new Error("The values are no map.");
  const lines = rowsOf(contents, "").map((row) => `| \`${row.name}\` | ${row.shown} | ${row.meaning} |`);
  const table = ["| value | default | meaning |", "| --- | --- | --- |", ...lines, ""].join("\n");
  const options = await resolveConfig(import.meta.filename);
  return format(`${readme.slice(0, end)}${HEADING}\n${table}`, { ...options, parser: "markdown" });
}

/** A map with its own comment is one value; one without is a group of values, unless it is empty. */
function rowsOf(map: YAMLMap, prefix: string): Row[] {
  return map.items.flatMap(({ key, value }, index) => {
    if (!isScalar(key)) throw new Error(`A key below «${prefix}» is no text.`);
    const name = `${prefix}${String(key.value)}`;
    // the comment before the first key of a map belongs to the map
    const comment = key.commentBefore ?? (index === 0 && prefix !== "" ? map.commentBefore : "") ?? "";
    const tagText = (tag: string) => new RegExp(`^ ${tag}(.*)$`, "m").exec(comment)?.[1];
    const meaning = tagText("-- ");
    const described = tagText("@default -- ");
    if (isMap(value) && value.items.length > 0 && meaning === undefined && described === undefined) {
      return rowsOf(value, `${name}.`);
    }
    return [{ name, shown: described ?? `\`${plain(value)}\``, meaning: meaning ?? "" }];
  });
}

/** A text without quotes, all else as JSON. */
function plain(node: unknown): string {
  const value = (node as { toJSON(): unknown }).toJSON();
  return typeof value === "string" && value !== "" ? value : JSON.stringify(value);
}
