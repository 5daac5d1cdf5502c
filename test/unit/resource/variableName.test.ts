import { expect, test } from "vitest";
import { checkFailures } from "../../../provider/adapters/plugin/checkFailures.ts";
import { Secrecy } from "../../../provider/adapters/plugin/secrecy.ts";
import { Secrets } from "../../../provider/base/runtime/messages/secrets.ts";
import { variableNameProblem } from "../../../provider/resource/inputRules.ts";

test.each([
  "KIT_SIGNING_KEY",
  "kit_key2",
  "_K",
  "N".repeat(64),
  "DOCS_HOSTING_ADMIN_API_KEY_OF_THE_SECOND_ACCOUNT_2026",
])("%s is the name of a variable", (name) => expect(variableNameProblem(name)).toBeUndefined());

test.each([
  ["of the service", "svc_Q7rx2K9c4n4ryZw"],
  ["in PEM", "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIC4n4ry\n-----END PRIVATE KEY-----"],
  ["as one line of base64", "MC4CAQAwBQYDK2VwBCIEIHVtc4n4ryHGXyTTZkzyTTzzzzzzzzzzzzz0"],
  ["as hexadecimal digits", "c4ffee".repeat(8)],
  ["with a prefix of its own", `k_${"aB3".repeat(12)}`],
  ["that is long", "k".repeat(65)],
])("a pasted key %s is refused, and no message and no failure of the plugin has it", (_, key) => {
  const secrets = new Secrets();
  const reason = variableNameProblem(key, { secrets }) ?? "";
  expect(reason).toContain("not the key itself");
  expect(reason).not.toContain(key);
  expect(secrets.removeFrom(`before ${key} after`)).not.toContain(key);
  // the engine would show the value of a property that a failure names
  const [failure] = checkFailures([{ property: "signingKeyEnv", reason }], {}, secrets, new Secrecy());
  expect(failure?.getProperty()).toBe("");
  expect(failure?.getReason()).toMatch(/^signingKeyEnv: must be the name/);
});
