import { Document, visit, type Tags } from "yaml";

/** Characters that Go's reader of YAML does not take as they are, and JSON does, see YAML 1.2.2 §5.1. */
const NOT_IN_YAML = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** Keys that are no other type to any reader: `<<` merges, `=` is a value, `0x1` a number. Words such as `yes` the library quotes. */
const PLAIN_KEY = /^[A-Za-z][\w./ -]*$/;

/** Plain values as YAML for people, and for helm, which reads version 1.1: groups as blocks, texts in quotes. */
export function yamlText(values: Readonly<Record<string, unknown>>): string {
  const document = new Document(values, {
    version: "1.1",
    aliasDuplicateObjects: false,
    customTags: noMerging,
  });
  visit(document, {
    Scalar(place, scalar) {
      if (typeof scalar.value !== "string") return;
      if (place !== "key" || !PLAIN_KEY.test(scalar.value)) scalar.type = "QUOTE_DOUBLE";
    },
  });
  return document
    .toString({ lineWidth: 0, doubleQuotedAsJSON: true })
    .replace(NOT_IN_YAML, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Of the library's own types: `<<` is a key like any other, and can be quoted. */
function noMerging(types: Tags): Tags {
  return types.filter((type) => typeof type === "string" || type.tag !== "tag:yaml.org,2002:merge");
}
