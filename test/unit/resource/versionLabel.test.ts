import { expect, test } from "vitest";
import { ruleOfSource } from "../../../provider/copies/source/bundleSource.ts";
import { ruleOfVersion } from "../../../provider/resource/inputRules.ts";
import { STATIC_EXPORT_INPUTS } from "../../../provider/staticExport/inputs.ts";

const configuration = { environment: () => undefined, stackConfig: () => undefined };

test.each([20261125, 5326e15])(
  "a number as version (%d) is refused with what to write, for exports and for sources",
  (version) => {
    const { problem } = ruleOfVersion(version) as { problem: string };
    expect(problem).toMatch(
      `must be a string, not the number ${version}: write it in quotes, or make it a string. In programs in YAML,`,
    );
    expect(problem).toContain("set v20261125, 2026-11-25, or commit-5326e15");
    expect(STATIC_EXPORT_INPUTS.version.rule(version, configuration)).toEqual({ problem });
    expect(ruleOfSource({ file: "a.tar.gz", version }, configuration)).toEqual({ at: "version", problem });
  },
);

test("another value as version is refused by its type", () => {
  expect(ruleOfVersion(true)).toEqual({ problem: "must be a string, not boolean" });
});
