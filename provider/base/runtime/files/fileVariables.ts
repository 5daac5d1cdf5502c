import { ConfigurationError } from "../messages/errors";
import type { Secrets } from "../messages/secrets";

/** Longest path that systems accept, in characters. */
const LONGEST_PATH = 4_096;

/**
 * Checks variables that name a file with credentials. Whoever reads the file would quote a key that a pipeline put there in place of the
 * file's name, in whole or in parts.
 *
 * @param isUsed whether the file is read. Otherwise a key there only becomes a secret of the operation
 * @throws ConfigurationError for a key
 */
export function checkFileVariables(
  variables: readonly string[],
  {
    environment,
    secrets,
  }: {
    readonly environment: (name: string) => string | undefined;
    readonly secrets: Pick<Secrets, "add">;
  },
  isUsed = true,
): void {
  for (const variable of variables) {
    const value = environment(variable) ?? "";
    if (!isFileContent(value)) continue;
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
export function isFileContent(value: string): boolean {
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
