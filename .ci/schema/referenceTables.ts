import type { PackageModel, Property, ValueType } from "./model.ts";

/** A table of a page: all lines between its two comments are generated. */
const TABLE = /<!-- table: (inputs|outputs|fields) of (\w+) -->[^]*?<!-- end of table -->/g;

/** What a change of an input does, in words for a cell. */
const EFFECTS: Readonly<Record<NonNullable<Property["effect"]>, string>> = {
  replaces: "replaces the resource",
  content: "makes new content",
  adopts: "takes the content of that job",
  remembered: "is stored",
};

/**
 * A page of the reference with its tables as the sources have them.
 *
 * @throws when a comment names something that the package does not have
 */
export function withTables(page: string, model: PackageModel): string {
  return page.replace(TABLE, (_, part: "inputs" | "outputs" | "fields", name: string) => {
    const comment = `<!-- table: ${part} of ${name} -->`;
    return [comment, "", ...rowsOf(part, name, model).map(row), "", "<!-- end of table -->"].join("\n");
  });
}

/** The tables that pages have, such as `inputs of StaticExport`. */
export function tablesOf(page: string): string[] {
  return [...page.matchAll(TABLE)].map(([, part = "", name = ""]) => `${part} of ${name}`);
}

function rowsOf(part: "inputs" | "outputs" | "fields", name: string, model: PackageModel): string[][] {
  if (part === "fields") {
    const object = model.objects[name];
    if (!object) throw new Error(`the package has no type ${name}`);
    const rows = object.fields.map((field) => [code(field.name), typeName(field.type), meaning(field)]);
    return [["field", "type", "meaning"], line(3), ...rows];
  }
  const resource = model.resources[name];
  if (!resource) throw new Error(`the package has no resource ${name}`);
  const { inputs, outputs } = resource;
  if (part === "inputs") {
    const rows = inputs.map((input) => [
      code(input.publicName ?? input.name),
      typeName(input.type),
      meaning(input),
      input.effect === undefined ? "" : EFFECTS[input.effect],
    ]);
    return [["input", "type", "meaning", "a change"], line(4), ...rows];
  }
  const repeated = new Set(inputs.map((input) => input.name));
  const own = outputs.filter((output) => !repeated.has(output.name) || isDerived(output, inputs));
  const rows = own.map((output) => [
    code(inputs.find((input) => input.name === output.name)?.publicName ?? output.name),
    typeName(output.type),
    meaning(output),
  ]);
  return [["output", "type", "meaning"], line(3), ...rows];
}

/** Whether an output has a value, and a meaning of its own, where the input of that name is absent: the version of an export does. */
function isDerived(output: Property, inputs: readonly Property[]): boolean {
  const input = inputs.find(({ name }) => name === output.name);
  const hasOwnMeaning = input !== undefined && input.text !== output.text && output.type.kind === "string";
  return hasOwnMeaning && output.isRequired && !input.isRequired;
}

function meaning({ isRequired, text, default: value, effect }: Property): string {
  const required = isRequired && effect !== undefined ? "**Required.** " : "";
  const [, first = value, reason] = /^(.*?): (.*)$/s.exec(value ?? "") ?? [];
  const words = first !== undefined && /^(["[{].*|true|false|\d+)$/.test(first) ? code(first) : first;
  const ending =
    words === undefined ? "" : ` Default: ${words}${reason === undefined ? "" : ` (${reason})`}.`;
  return `${required}${text.replace(/\s*\n\s*/g, " ")}${ending}`;
}

function typeName(type: ValueType): string {
  switch (type.kind) {
    case "list":
      return `${typeName(type.of)}[]`;
    case "map":
    case "object":
      return "object";
    case "union":
      return type.of.map(typeName).join(" or ");
    case "enum":
      return "string";
    case "integer":
      return "number";
    default:
      return type.kind;
  }
}

const code = (text: string): string => `\`${text}\``;
const line = (columns: number): string[] => Array<string>(columns).fill("---");
const row = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
