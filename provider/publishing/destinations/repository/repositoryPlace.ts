import { type Actions, RegistryClient } from "../../images/registry/client";
import { findManifest } from "../../images/registry/manifests";
import { parseRepository, repositoryName } from "../../images/registry/reference";
import type { DestinationContext } from "../destination";
import { ImageOwners } from "./imageOwners";
import type { RepositoryInputs } from "./inputs";
import { RepositoryMarks } from "./repositoryMarks";

/** A repository, for one operation. */
export interface RepositoryPlace {
  readonly client: RegistryClient;
  readonly context: DestinationContext;
  readonly owners: ImageOwners;
  /** The one that users pull. */
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
  const addressOf = (item: string): string => `${repositoryName(repository)}:sha256-${item}`;
  const owners = new ImageOwners(new RepositoryMarks(client, context), context, addressOf);
  return { client, context, owners, tag };
}

/** Whether there is a manifest. */
export async function isThere({ client }: RepositoryPlace, digest: string): Promise<boolean> {
  return (await findManifest(client, digest)) !== undefined;
}
