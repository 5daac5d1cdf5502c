import { baseProblem, repositoryProblem, tagProblem } from "../../images/registry/reference";
import type { DestinationField, FieldsOfKind } from "../destination";

/** A repository of an OCI registry. */
export interface RepositoryInputs {
  /** With the registry's host, without a tag: `registry.internal/docs/site`. */
  repository: string;
  /** Tag of the newest copy. Each copy also has its own tag, so that the registry's garbage collection keeps it. */
  tag?: string;
  /**
   * An nginx image: the copy is that image, for each of its platforms, with the site in it.
   *
   * @default the site alone, below `/site`: for image volumes
   */
  base?: string;
  /** The registry has no TLS. @default false: only one on this machine may have none */
  plainHttp?: boolean;
  /**
   * Size of the files of the version before that an image with a `base` also has, in bytes: scripts and styles that are named after
   * their content, and that pages name which readers have open. 0: none.
   *
   * @default 128 MiB
   */
  maxPreviousBytes?: number;
}

const text =
  (problemOf: (text: string) => string | undefined): DestinationField["problem"] =>
  (value) =>
    typeof value === "string" ? problemOf(value) : "must be a string";

/** The rows of {@link RepositoryInputs}. */
export const REPOSITORY_FIELDS: FieldsOfKind<RepositoryInputs> = {
  repository: {
    change: "replaces",
    // letter case of the host makes no other registry
    key: (value) =>
      typeof value === "string" ? value.replace(/^[^/]+/, (host) => host.toLowerCase()) : value,
    problem: text(repositoryProblem),
  },
  tag: { change: "content", problem: text(tagProblem) },
  base: { change: "content", problem: text(baseProblem) },
  plainHttp: {
    change: "none",
    isJson: true,
    problem: (value) => (typeof value === "boolean" ? undefined : "must be true or false"),
  },
  maxPreviousBytes: {
    change: "content",
    isJson: true,
    problem: (value, fields) =>
      !Number.isSafeInteger(value) || (value as number) < 0
        ? "must be a number of bytes: a whole number that is not negative"
        : fields["base"] === undefined && value !== 0
          ? "has no meaning without `base`: an image of the site alone has no files of the version before"
          : undefined,
  },
};
