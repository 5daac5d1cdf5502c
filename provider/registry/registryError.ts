import { parseJson, QUOTE_LENGTH } from "../http/replyBody";
import { redact } from "../messages/redaction";

/** The reason of a refusal, from the registry's response: see «Error Codes» in the distribution specification. */
export interface RegistryReason {
  /** `DENIED`, `UNSUPPORTED`, `NAME_UNKNOWN`…; empty when the response is not in the registries' format. */
  readonly codes: readonly string[];
  /** The registry's message, redacted for display; empty when there is none. */
  readonly summary: string;
}

/** Reads the reason of a refusal. */
export function registryReason(text: string): RegistryReason {
  const body = parseJson(text);
  const { errors } = Object(body) as { errors?: unknown };
  if (!Array.isArray(errors)) {
    // the HTML page of a proxy in between does not help
    const isPage = /^\s*</.test(text);
    return { codes: [], summary: isPage ? "" : redact(text, QUOTE_LENGTH) };
  }
  const reasons = (errors as unknown[]).slice(0, 5).map((error) => {
    const { code, message } = Object(error) as { code?: unknown; message?: unknown };
    return {
      code: typeof code === "string" ? code : "",
      message: typeof message === "string" ? message : "",
    };
  });
  const summary = reasons.map(({ code, message }) => [code, message].filter(Boolean).join(": ")).join("; ");
  return { codes: reasons.map(({ code }) => code), summary: redact(summary, QUOTE_LENGTH) };
}

/** The remedy for a registry's status. */
export function remedyFor(status: number, host: string, hasCredential: boolean): string {
  switch (status) {
    case 401:
      return hasCredential
        ? `Log in again: \`docker login ${host}\`. The credential comes from Docker's or podman's configuration.`
        : `Log in: \`docker login ${host}\`, or name the configuration with DOCKER_CONFIG or REGISTRY_AUTH_FILE.`;
    case 403:
      return hasCredential
        ? "Give the account of the registry's credential the right to read and write this repository."
        : `Log in: \`docker login ${host}\`: without a credential the registry does not allow this.`;
    case 404:
      return "Check the repository's name; some registries require that it exists before the first push.";
    case 413:
      return "Allow larger request bodies in front of the registry, for example in a proxy.";
    case 429:
      return "Try again later: the registry limits the rate of requests.";
    default:
      return status >= 500
        ? "The registry has a problem: see its log, and try again."
        : "Check the registry and the repository's name.";
  }
}
