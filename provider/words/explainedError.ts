import { CancelledError, DocsHostingError } from "./errors";
import { redact } from "./redaction";

/**
 * The whole story in one error: what happened, to what, whether anything is lost, what to do.
 *
 * @param subject the domain, or the agent job
 */
export function explained(error: unknown, subject: string, consequence: string): Error {
  if (!(error instanceof DocsHostingError)) {
    const kind = error instanceof Error ? redact(`${error.name}: ${error.message}`) : typeof error;
    return new Error(`${subject}: internal error (${kind}). ${sentence(consequence)} Please report it.`);
  }
  const kind = error instanceof CancelledError ? "stopped: " : "";
  return new Error(
    [sentence(`${subject}: ${kind}${error.message}`), sentence(consequence), sentence(error.remedy)]
      .filter(Boolean)
      .join(" "),
  );
}

function sentence(text: string): string {
  return text === "" || /[.!?…`]$/.test(text) ? text : `${text}.`;
}
