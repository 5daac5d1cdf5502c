import { DocsHostingError, InternalError, RunCancelledError } from "./errors";
import { redact } from "./plainText";

/**
 * A complete error message: what happened, to which domain or job, whether anything is lost, and what to do. Class and details
 * are those of the original error, which is the `cause`.
 *
 * @param subject the domain, or the agent job
 */
export function explained(error: unknown, subject: string, consequence: string): DocsHostingError {
  if (!(error instanceof DocsHostingError)) {
    // no cause: its text may contain anything
    const kind = error instanceof Error ? redact(`${error.name}: ${error.message}`) : typeof error;
    const message = `${subject}: internal error (${kind}). ${sentence(consequence)} Please report it.`;
    const name = error instanceof Error ? error.name : typeof error;
    return new InternalError(message, "Please report it.", { kind: name });
  }
  const kind = error instanceof RunCancelledError ? "stopped: " : "";
  return error.withMessage(
    [sentence(`${subject}: ${kind}${error.message}`), sentence(consequence), sentence(error.remedy)]
      .filter(Boolean)
      .join(" "),
  );
}

function sentence(text: string): string {
  return text === "" || /[.!?…`]$/.test(text) ? text : `${text}.`;
}
