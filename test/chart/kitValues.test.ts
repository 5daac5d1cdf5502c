// A kit's values.yaml, as helm itself reads it.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { yamlText } from "../../provider/kits/contents/yamlText.ts";
import { HELM } from "./neededPrograms.ts";

/** The number of random values that helm reads, in one document. */
const COUNT = 500;

const AWKWARD = [
  "<<",
  "=",
  "~",
  "0x1",
  "0o7",
  "010",
  "1_000",
  "1:30",
  "yes",
  "No",
  "y",
  "off",
  ".inf",
  ".NaN",
];
const ALSO = [
  "2001-01-01",
  "null",
  "- a",
  "? a",
  "{}",
  "#",
  "*a",
  "&a",
  "!!str",
  "%",
  "@",
  "`",
  "a: b",
  "\u2028",
  "\ufffe",
];

test("helm reads exactly the given values, with any keys and texts", () => {
  const text = fc.oneof(fc.constantFrom(...AWKWARD, ...ALSO), fc.string({ unit: "binary" }));
  const key = text.filter((each) => each !== "__proto__");
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.boolean(),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
      text,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(key, tie("value"), { maxKeys: 3 }),
    ),
  }));
  const cases = [
    ...AWKWARD.map((each) => ({ [each]: { [each]: each } })),
    ...fc.sample(fc.dictionary(key, value, { maxKeys: 3 }), { numRuns: COUNT, seed: 1 }),
  ];
  const folder = mkdtempSync(join(tmpdir(), "kit-values-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "templates"));
  writeFileSync(join(folder, "Chart.yaml"), "apiVersion: v2\nname: values\nversion: 1.0.0\n");
  writeFileSync(
    join(folder, "templates/values.yaml"),
    '{"read": {{ toJson .Values.cases | b64enc | quote }}}\n',
  );
  writeFileSync(join(folder, "given.yaml"), yamlText({ cases }));
  const rendered = execFileSync(HELM, ["template", "x", folder, "--values", join(folder, "given.yaml")], {
    encoding: "utf8",
    maxBuffer: 1e9,
  });
  const [, encoded = ""] = /"read": "(.*)"/.exec(rendered) ?? [];
  const read = JSON.parse(Buffer.from(encoded, "base64").toString()) as unknown[];
  expect(read).toHaveLength(cases.length);
  for (const [index, one] of cases.entries()) expect(read[index]).toEqual(JSON.parse(JSON.stringify(one)));
});
