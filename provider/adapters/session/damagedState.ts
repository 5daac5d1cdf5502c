import { InternalError } from "../../runtime/messages/errors";
import { UnfinishedError } from "../../resource/unfinishedError";

/** Errors that code throws by itself when a value is not what its type says. */
const FAULTS = ["TypeError", "RangeError", "SyntaxError"];

/**
 * Runs a call that works on a stored state. The state comes from a file that anybody can edit, so what cannot be read of it is no fault
 * of the code: the message says what to do.
 *
 * @param urn the resource, if known
 */
export async function onStoredState<T>(urn: string | undefined, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const fault = faultOf(error);
    if (fault === undefined) throw error;
    const name = urn?.split("::").at(-1);
    throw new InternalError(
      `${name === undefined ? "a resource" : name}: its stored state cannot be read (${fault}): the state is damaged, or a newer version of this ` +
        "package wrote it. The state stays as it is. Restore it from an earlier update (`pulumi stack export --version N`, then " +
        `\`pulumi stack import\`), or install the newer version, or take the resource out of the state (\`pulumi state delete '${urn ?? "URN"}'\`) ` +
        "and run `pulumi up` again. If the state is as this version wrote it, please report it.",
      "",
    );
  }
}

/** The class of an unexpected error; undefined for an error that says itself what is wrong. */
function faultOf(error: unknown): string | undefined {
  if (error instanceof UnfinishedError) return faultOf(error.cause);
  if (!(error instanceof Error)) return undefined;
  const kind = error instanceof InternalError ? error.kind : error.constructor.name;
  return FAULTS.includes(kind) ? kind : undefined;
}

/** Whether an operation ended with an unexpected error: then it made no progress that is worth storing. */
export function isFault(error: unknown): boolean {
  return faultOf(error) !== undefined;
}
