import type { CredentialSearch } from "./credentials";

/** The remedies that depend on the status alone. */
const REMEDIES: Readonly<Record<number, string>> = {
  404: "Check the repository's name; some registries require that it exists before the first push.",
  413:
    "Allow larger request bodies in front of the registry: `client_max_body_size 0;` in nginx, the annotation " +
    '`nginx.ingress.kubernetes.io/proxy-body-size: "0"` of an Ingress, `LimitRequestBody 0` in Apache.',
  429: "Try again later: the registry limits the rate of requests.",
};

/** The remedy for a registry's status. */
export function remedyFor(status: number, host: string, { place, places }: CredentialSearch): string {
  const searched = places.length === 0 ? "" : ` No credential for it was found in ${places.join(", ")}.`;
  if (status === 401) {
    return place !== undefined
      ? `Log in again: \`docker login ${host}\`. The credential comes from ${place}.`
      : `Log in: \`docker login ${host}\`, or name the configuration with DOCKER_CONFIG or REGISTRY_AUTH_FILE.${searched}`;
  }
  if (status === 403) {
    return place !== undefined
      ? `Give the account of the registry's credential, which comes from ${place}, the right to read and write this repository.`
      : `Log in: \`docker login ${host}\`: without a credential the registry does not allow this.${searched}`;
  }
  const ofOthers =
    status >= 500
      ? "The registry has a problem: see its log, and try again."
      : "Check the registry and the repository's name.";
  return REMEDIES[status] ?? ofOthers;
}
