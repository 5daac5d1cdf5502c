import * as pulumi from "@pulumi/pulumi";
import { missingOutput } from "../provider/installation/installedSite";

/** Why an export has no link that was only read. */
export const READ_ONLY: string =
  "an export that was read with StaticExport.get has none, because links are minted only for exports that are managed. " +
  "Declare it with its `jobId` (`new StaticExport(name, { domain, jobId })`: nothing is started), or take the link from " +
  "the stack that manages it.";

/** @throws pulumi.RunError for a missing link */
export function requiredLink(url: unknown, owner: string): string {
  return requiredOutput("bundleUrl", url, owner, READ_ONLY);
}

/**
 * A required output of another stack.
 *
 * @param otherwise another reason why it may be missing, for the message
 * @throws pulumi.RunError if it is not a string, or empty
 */
export function requiredOutput(name: string, value: unknown, owner: string, otherwise: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw new pulumi.RunError(`${owner}: ${missingOutput(name, otherwise)}`);
}
