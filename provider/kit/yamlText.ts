import { Document, visit } from "yaml";

/** Characters that YAML does not take as they are, and JSON does, see YAML 1.2.2 §5.1. */
const NOT_IN_YAML = /[\u007f-\u009f\u2028\u2029\ufeff]/g;

/** Plain values as YAML for people, and for helm, which reads version 1.1: groups as blocks, texts in quotes. */
export function yamlText(values: Readonly<Record<string, unknown>>): string {
  const document = new Document(values, { version: "1.1", aliasDuplicateObjects: false });
  visit(document, {
    Scalar(place, scalar) {
      if (typeof scalar.value !== "string") return;
      if (place !== "key" || scalar.value.search(NOT_IN_YAML) !== -1) scalar.type = "QUOTE_DOUBLE";
    },
  });
  return document
    .toString({ lineWidth: 0 })
    .replace(NOT_IN_YAML, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
