import { RunCancelledError, DocsHostingError, InternalError } from "./errors";
import { redact } from "./redaction";

/**
 * The whole story in one error: what happened, to what, whether anything is lost, what to do. Its class and details are those
 * of the error that it tells about, which is its `cause`.
 *
 * @param subject the domain, or the agent job
 */
export function explained(error: unknown, subject: string, consequence: string): DocsHostingError {
  if (!(error instanceof DocsHostingError)) {
    // no cause: nobody knows what its text holds
    const kind = error instanceof Error ? redact(`${error.name}: ${error.message}`) : typeof error;
    const message = `${subject}: internal error (${kind}). ${sentence(consequence)} Please report it.`;
    return new InternalError(message, "Please report it.");
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
