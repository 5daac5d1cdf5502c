import { expect, test } from "vitest";
import { shownCheckFailure } from "../../../../provider/adapters/session/shownCheckFailure.ts";
import { Secrets } from "../../../../provider/base/runtime/messages/secrets.ts";
import { NOT_THE_KEY } from "../../../../provider/resource/inputRules.ts";

const secrets = new Secrets();
secrets.add("c4n4ry-password");
const shown = (property: string, value: unknown, reason = "is wrong") =>
  shownCheckFailure({ property, reason }, { [property.split(/[.[]/)[0] ?? ""]: value }, secrets);

test.for([
  ["apiKeyEnv", "svc_PastedKey1234567", `must be a name, ${NOT_THE_KEY}`],
  ["signingKeyEnv", "-----BEGIN PRIVATE KEY-----\nMC4CAQ", "is wrong"],
  ["baseUrl", "https://admin:hunter2222@api.example.com", "contains a user name or password"],
  ["baseUrl", "https://api.example.com?token=abc", "contains a query or a fragment"],
  ["source.file", { file: "https://store.example.com/a.tar.gz?X-Amz-Signature=abc" }, "is an address"],
  ["exportOptions", { password: "pw-abcdefgh" }, "is no JSON"],
  ["domain", "c4n4ry-password", "is not a host name"],
])(
  "the failure of %s of %j names it only in its text: the engine prints the value of what is named",
  ([property, value, reason]) => {
    expect(shown(property as string, value, reason as string)).toEqual({
      property: "",
      reason: `${property as string}: ${reason as string}`,
    });
  },
);

test.for([
  ["domain", "https://docs.example.com"],
  ["destination.prefix", { bucket: "docs", prefix: "//" }],
  ["source.file", { file: "https://store.example.com/a.tar.gz" }],
  ["timeout", undefined],
  ["triggers[0]", [undefined]],
])("the failure of %s of %j names its property", ([property, value]) => {
  expect(shown(property as string, value)).toEqual({ property, reason: "is wrong" });
});

test("a text that begins with the property names it once", () => {
  const url = "https://me:c4n4ry@api.example.com";
  expect(shown("baseUrl", url, "baseUrl contains a password")).toEqual({
    property: "",
    reason: "baseUrl contains a password",
  });
});
