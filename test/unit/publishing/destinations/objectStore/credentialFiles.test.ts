import { expect, test } from "vitest";
import { Secrets } from "../../../../../provider/base/runtime/messages/secrets.ts";
import { checkCredentialFiles } from "../../../../../provider/publishing/destinations/objectStore/credentialFiles.ts";

const JSON_KEY = JSON.stringify({
  type: "authorized_user",
  client_secret: "c4n4ry-secret",
  refresh_token: "1//c4n4ry-token",
});
const PEM = "-----BEGIN PRIVATE KEY-----\nMIIc4n4ryc4n4ryc4n4ry\n-----END PRIVATE KEY-----\n";
const TOKEN = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjNG40cnkifQ.c4n4rysignature";

const checked = (kind: "gcs" | "s3" | "azure", variable: string, value: string, isUsed = true) => {
  const secrets = new Secrets();
  let message: string | undefined;
  try {
    checkCredentialFiles(
      kind,
      { environment: (name) => (name === variable ? value : undefined), secrets },
      isUsed,
    );
  } catch (error) {
    message = (error as Error).message;
  }
  return { message, secrets };
};

test.each([
  ["gcs", "GOOGLE_APPLICATION_CREDENTIALS", JSON_KEY],
  ["gcs", "GOOGLE_APPLICATION_CREDENTIALS", JSON.stringify(JSON.parse(JSON_KEY), undefined, 2)],
  ["gcs", "GOOGLE_APPLICATION_CREDENTIALS", Buffer.from(JSON_KEY).toString("base64")],
  ["s3", "AWS_SHARED_CREDENTIALS_FILE", "[default]\naws_secret_access_key = c4n4ry\n"],
  ["s3", "AWS_WEB_IDENTITY_TOKEN_FILE", TOKEN],
  ["s3", "AWS_CONFIG_FILE", "[profile c4n4ry]"],
  ["azure", "AZURE_FEDERATED_TOKEN_FILE", TOKEN],
  ["azure", "AZURE_CLIENT_CERTIFICATE_PATH", PEM],
] as const)(
  "%s: the content of a file in %s is refused by name, and is a secret of the run",
  (kind, variable, value) => {
    const { message, secrets } = checked(kind, variable, value);
    expect(message).toBe(`the variable ${variable} contains a key, not a file's name`);
    expect(secrets.removeFrom(`ENAMETOOLONG: open '${value}'`)).not.toMatch(/c4n4ry|eyJ/);
  },
);

test.each([
  "/builds/docs/docs.tmp/GOOGLE_APPLICATION_CREDENTIALS",
  "C:\\Users\\me\\key.json",
  "./eyes.json",
  "key.json",
  "",
])("the name of a file is accepted: %j", (value) => {
  expect(checked("gcs", "GOOGLE_APPLICATION_CREDENTIALS", value).message).toBeUndefined();
});

test("a file that is not read, because other credentials come first, is no problem, but its content stays a secret", () => {
  const { message, secrets } = checked("s3", "AWS_WEB_IDENTITY_TOKEN_FILE", TOKEN, false);
  expect(message).toBeUndefined();
  expect(secrets.removeFrom(TOKEN)).not.toContain("c4n4rysignature");
});

test("a variable of another kind of store is not looked at", () => {
  expect(checked("s3", "GOOGLE_APPLICATION_CREDENTIALS", JSON_KEY).message).toBeUndefined();
});
