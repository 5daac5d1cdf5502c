import { RegistryClient, type Actions } from "../../../images/registry/client";
import { findManifest } from "../../../images/registry/manifests";
import { parseRepository, repositoryName } from "../../../images/registry/reference";
import { Ownership } from "../../ownership/ownership";
import type { DestinationContext } from "../destination";
import type { RepositoryInputs } from "./inputs";
import { repositoryMarks, type RepositoryMarks } from "./repositoryMarks";

/** A repository, for one operation. */
export interface RepositoryPlace {
  readonly client: RegistryClient;
  readonly context: DestinationContext;
  readonly marks: RepositoryMarks;
  readonly ownership: Ownership;
  /** The tag that users pull. */
  readonly tag: string | undefined;
}

/** @throws Error for inputs that `repositoryProblem` refuses */
export function openRepository(
  { repository: name, tag, plainHttp }: RepositoryInputs,
  context: DestinationContext,
  actions: Actions,
): RepositoryPlace {
  const repository = parseRepository(name);
  const client = new RegistryClient(repository, context, { actions, plainHttp });
  const marks = repositoryMarks(client);
  const ownership = new Ownership(marks, context, (item) => `${repositoryName(repository)}:sha256-${item}`);
  return { client, context, marks, ownership, tag };
}

/** Whether there is a manifest. */
export async function isThere({ client }: RepositoryPlace, digest: string): Promise<boolean> {
  return (await findManifest(client, digest)) !== undefined;
}
