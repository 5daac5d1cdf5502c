import { checkFileVariables } from "../../../base/runtime/files/fileVariables";
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

/** Checks these variables, see {@link checkFileVariables}. */
export function checkCredentialFiles(
  kind: keyof typeof VARIABLES,
  context: Pick<DestinationContext, "environment" | "secrets">,
  isUsed = true,
): void {
  checkFileVariables(VARIABLES[kind], context, isUsed);
}
