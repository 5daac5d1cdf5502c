import * as pulumi from "@pulumi/pulumi";
import { isConfigSecret } from "./pulumiSdk";

/** Configuration key of the admin API key. */
const API_KEY_CONFIG = "docs-hosting:adminApiKey";

/** Programs that were warned: one process may run several. */
const warned = new Set<string>();

/** Warns once per program about an API key that the stack's configuration holds in plain text. */
export function warnOfPlainKey(): void {
  if (pulumi.runtime.getConfig(API_KEY_CONFIG) === undefined || isConfigSecret(API_KEY_CONFIG)) return;
  const program = `${pulumi.getProject()}/${pulumi.getStack()}`;
  if (warned.has(program)) return;
  warned.add(program);
  void pulumi.log.warn(
    `the configuration ${API_KEY_CONFIG} holds the admin API key in plain text, readable in the stack's settings file. ` +
      `Make a new key, and set it with \`pulumi config set --secret ${API_KEY_CONFIG}\`.`,
  );
}
