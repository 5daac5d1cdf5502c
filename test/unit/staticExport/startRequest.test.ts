import { expect, test } from "vitest";
import { inputNames, withEffect } from "../../../provider/resource/inputTable.ts";
import { type CheckedExportInputs, STATIC_EXPORT_INPUTS } from "../../../provider/staticExport/inputs.ts";
import { startRequest } from "../../../provider/staticExport/startRequest.ts";

const INPUTS: CheckedExportInputs = {
  domain: "docs.example.com",
  baseUrl: "https://api.example.test",
  apiKeyEnv: "KEY",
};

test("each input of the content is sent, except those that only say when to start", () => {
  const content = withEffect(STATIC_EXPORT_INPUTS, inputNames(STATIC_EXPORT_INPUTS), "content");
  const plain = JSON.stringify(startRequest(INPUTS));
  const unsent = content.filter((name) => {
    const request = startRequest({ ...INPUTS, [name]: { given: name } });
    return JSON.stringify(request) === plain;
  });
  expect(unsent).toEqual(["version", "triggers"]);
});

test("no option replaces the domain", () => {
  const exportOptions = { domain: "evil.example", locale: "de" };
  expect(startRequest({ ...INPUTS, exportOptions })).toEqual({ domain: "docs.example.com", locale: "de" });
});
