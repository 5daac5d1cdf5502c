import { expect, test } from "vitest";
import { UNKNOWN } from "../../../provider/base/runtime/messages/plainText.ts";
import {
  outputsAmong,
  type OutputTable,
  rowsThat,
  unknownOutputs,
} from "../../../provider/resource/outputTable.ts";

interface Own {
  link?: string;
  end?: string;
  size: number | null;
}
const TABLE: OutputTable<Own> = {
  link: { isSecret: true, isRenewed: true },
  end: { isRenewed: true },
  size: {},
};

test("a mark selects the rows that have it", () => {
  expect(Object.keys(rowsThat("isSecret", TABLE))).toEqual(["link"]);
  expect(Object.keys(rowsThat("isRenewed", TABLE))).toEqual(["link", "end"]);
});

test("the outputs among other values are those with a row and a value, null included", () => {
  const values = { link: undefined, size: null, domain: "docs.example.com" };
  expect(outputsAmong(TABLE, values)).toStrictEqual({ size: null });
});

test("before an operation, each output is unknown", () => {
  expect(unknownOutputs(TABLE)).toStrictEqual({ link: UNKNOWN, end: UNKNOWN, size: UNKNOWN });
});
