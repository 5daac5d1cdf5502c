import { ConfigurationError } from "../../../base/runtime/messages/errors";
import type { DestinationContext } from "../destination";

/** The variables that name a file with credentials, for each kind of store. */
const VARIABLES = {
  gcs: ["GOOGLE_APPLICATION_CREDENTIALS"],
  s3: [
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_CONFIG_FILE",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
  ],
  azure: ["AZURE_FEDERATED_TOKEN_FILE", "AZURE_CLIENT_CERTIFICATE_PATH"],
} as const;

/** Longest path that systems accept, in characters. */
const LONGEST_PATH = 4_096;

/**
 * Checks the variables that name a file with credentials. The libraries of the stores would quote a key that a pipeline put there in
 * place of the file's name, in whole or in parts.
 *
 * @param isUsed whether the library reads the file. Otherwise a key there only becomes a secret of the operation
 * @throws ConfigurationError for a key
 */
export function checkCredentialFiles(
  kind: keyof typeof VARIABLES,
  { environment, secrets }: Pick<DestinationContext, "environment" | "secrets">,
  isUsed = true,
): void {
  for (const variable of VARIABLES[kind]) {
    const value = environment(variable) ?? "";
    if (!isContent(value)) continue;
    secrets.add(value);
    secrets.add(value.trim());
    if (!isUsed) continue;
    throw new ConfigurationError(
      `the variable ${variable} contains a key, not a file's name`,
      "Write the key to a file that only this user can read, and set the variable to its path. In GitLab, give the variable the type File. " +
        "Replace the key if a log may contain it.",
    );
  }
}

/** Whether a text is the content of a file with credentials: JSON, PEM, an INI file, or a token. */
function isContent(value: string): boolean {
  const text = value.trim();
  return (
    /[\r\n]/.test(text) ||
    /^[{["]/.test(text) ||
    text.length > LONGEST_PATH ||
    /-----BEGIN |aws_secret_access_key/i.test(text) ||
    /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(text) || // a JSON Web Token
    /^ey[\w+/-]{40,}={0,2}$/.test(text) // JSON in base64
  );
}
