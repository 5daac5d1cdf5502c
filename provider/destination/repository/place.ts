import { baseProblem, repositoryProblem, tagProblem } from "../../registry/reference";
import type { FieldProblem } from "../destination";

/** A repository of an OCI registry. */
export interface RepositoryPlace {
  /** With the registry's host, without a tag: `registry.internal/docs/site`. */
  repository: string;
  /** Leads to the newest copy. Each copy has a tag of its own besides, so that the registry's garbage collection spares it. */
  tag?: string;
  /**
   * An nginx image: the copy is that image, for each of its platforms, with the site in it.
   *
   * @default the site alone, below `/site`: for image volumes
   */
  base?: string;
  /** The registry has no TLS. @default false: only one on this machine may have none */
  plainHttp?: boolean;
}

/** What is wrong with the fields that are known. */
export function repositoryPlaceProblem({
  repository,
  tag,
  base,
  plainHttp,
}: Readonly<Record<string, unknown>>): FieldProblem | undefined {
  const texts = [
    ["repository", repository, repositoryProblem],
    ["tag", tag, tagProblem],
    ["base", base, baseProblem],
  ] as const;
  for (const [property, value, problemOf] of texts) {
    if (value === undefined) continue;
    const reason = typeof value === "string" ? problemOf(value) : "must be a string";
    if (reason !== undefined) return { property, reason };
  }
  return plainHttp === undefined || typeof plainHttp === "boolean"
    ? undefined
    : { property: "plainHttp", reason: "must be true or false" };
}
