import { Document, type Tags, visit } from "yaml";

/** Characters that JSON allows unescaped and Go's YAML parser does not, see YAML 1.2.2 §5.1. */
const NOT_IN_YAML = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** Keys that every parser reads as a text: `<<` merges, `=` is a value, `0x1` a number. The library quotes `yes` and the like. */
const PLAIN_KEY = /^[A-Za-z][\w./ -]*$/;

/** Formats plain values as readable YAML 1.1, which helm reads: groups as blocks, texts in quotes. */
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

/** Removes the library's merge type, so that `<<` is an ordinary key and can be quoted. */
function noMerging(types: Tags): Tags {
  return types.filter((type) => typeof type === "string" || type.tag !== "tag:yaml.org,2002:merge");
}
