import type { HttpReply } from "../../../base/http/attempt";
import { DestinationError } from "../../../base/runtime/messages/errors";
import type { RegistryClient } from "./client";
import { readUnwanted, registryReason } from "./failedRequest";
import { repositoryName } from "./reference";

/**
 * What a reply with the status 404 proves. Proxies, gateways and login pages answer 404, too: what is missed because of one would be
 * taken over, forgotten, or called removed.
 */
export type Absence =
  /** The registry says that there is no such content. */
  | "said"
  /** The reply has neither a body nor a header of a registry. The specification allows that. */
  | "unsaid"
  /** Something else has answered. */
  | "by another";

/** Of registries that name themselves in each reply, as distribution does. */
export const isOfRegistry = ({ headers }: Pick<HttpReply, "headers">): boolean =>
  headers.get("docker-distribution-api-version") !== null;

/** The errors of the stores that a registry leads to for its blobs. */
const OF_A_STORE = /<Code>(?:NoSuchKey|BlobNotFound)<\/Code>/;

/** Reads a reply with the status 404, see «Error Codes» in the distribution specification. */
export async function absenceIn(reply: HttpReply): Promise<Absence> {
  const { text } = await readUnwanted(reply);
  const { codes } = registryReason(text);
  if (isOfRegistry(reply) || codes.some((code) => code !== "") || OF_A_STORE.test(text)) return "said";
  return text.trim() === "" ? "unsaid" : "by another";
}

/** Whether it is proven that the content is not there. A registry that gives no reason must be one by its root. */
export async function isProven(client: RegistryClient, absence: Absence): Promise<boolean> {
  return absence === "said" || (absence === "unsaid" && (await client.isRegistry()));
}

/** @param what was asked or sent. @throws DestinationError unless it is proven that the content is not there */
export async function demandProof(client: RegistryClient, absence: Absence, what: string): Promise<void> {
  if (!(await isProven(client, absence))) throw notAnswered(client, what);
}

/** The failure of a request that something else than the registry has answered. @param what was asked or sent */
export function notAnswered({ repository }: RegistryClient, what: string): DestinationError {
  return new DestinationError(
    `${repositoryName(repository)}: ${what} was answered by something that is no registry`,
    "A proxy or a login page answers in its place: check the way to the registry, and run `pulumi up` again.",
  );
}
