import { expect, test } from "vitest";
import { FUNCTIONS } from "../../../../provider/adapters/plugin/functions.ts";
import schema from "../../../../provider/adapters/plugin/schema.json" with { type: "json" };
import { Secrecy } from "../../../../provider/adapters/plugin/secrecy.ts";
import { shownFailure } from "../../../../provider/adapters/session/shownText.ts";
import { InputError } from "../../../../provider/messages/errors.ts";
import { Secrets } from "../../../../provider/messages/secrets.ts";
import type { Context } from "../../../../provider/resource/context.ts";

const LINK = "https://store.example.com/bundle.tgz?signature=c4n4ry";

function run(given: object) {
  const warnings: string[] = [];
  const secrecy = new Secrecy();
  const context = { reporter: { warn: (text: string) => warnings.push(text) } } as unknown as Context;
  const result = FUNCTIONS["docs-hosting:index:installationValues"]?.run(context, { ...given }, secrecy);
  return { result, warnings, secrecy };
}

test("every function of the schema is there, and no other", () => {
  expect(Object.keys(FUNCTIONS).sort()).toEqual(Object.keys(schema.functions).sort());
});

test("installationValues marks the link as a secret, also one that was given in plain text", () => {
  const { result, secrecy, warnings } = run({
    bundleUrl: LINK,
    deploymentKind: "client-hosted",
  });
  expect(result).toEqual({ values: { staticExport: { enabled: true, bundleUrl: LINK } } });
  expect(secrecy.isIn(LINK)).toBe(true);
  expect(warnings).toEqual([]);
});

test("installationValues warns of an air-gapped installation whose pods need a link", () => {
  const { warnings } = run({ bundleUrl: LINK, deploymentKind: "air-gapped" });
  expect(warnings).toEqual([expect.stringMatching(/^installationValues: The installation is "air-gapped"/)]);
});

test("an unavailable feature is an error that shows its row of the table on a line of its own", () => {
  const given = {
    bundleUrl: LINK,
    deploymentKind: "air-gapped",
    features: { search: true },
  };
  let failure: unknown;
  try {
    run(given);
  } catch (error) {
    failure = error;
  }
  const lines = shownFailure(failure, new Secrets()).split("\n");
  expect(lines[0]).toMatch(/^installationValues: Documentation search: unavailable in an installation/);
  expect(lines).toContain("  | Documentation search | available | configurable  | unavailable |");
});

test("any other failure is one line", () => {
  expect(shownFailure(new InputError("a\nb", ""), new Secrets())).toBe("a\\u{a}b");
  expect(shownFailure(new Error("a\nb"), new Secrets())).toBe("a\\u{a}b");
});
