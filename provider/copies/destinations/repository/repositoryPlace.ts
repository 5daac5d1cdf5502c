import { RegistryClient, type Actions } from "../../../images/registry/client";
import { findManifest } from "../../../images/registry/manifests";
import { parseRepository, repositoryName } from "../../../images/registry/reference";
import { Ownership } from "../../ownership/ownership";
import type { DestinationContext } from "../destination";
import type { RepositoryInputs } from "./inputs";
import { repositoryMarks } from "./repositoryMarks";

/** A repository, for one operation. */
export type RepositoryPlace = Readonly<ReturnType<typeof openRepository>>;

/** @throws Error for inputs that `repositoryProblem` refuses */
export function openRepository(
  { repository: name, tag, plainHttp }: RepositoryInputs,
  context: DestinationContext,
  actions: Actions,
) {
  const repository = parseRepository(name);
  const client = new RegistryClient(repository, context, { actions, plainHttp });
  const marks = repositoryMarks(client);
  const ownership = new Ownership(marks, context, (item) => `${repositoryName(repository)}:sha256-${item}`);
  /** `tag`: the one that users pull. */
  return { client, context, marks, ownership, tag };
}

/** Whether there is a manifest. */
export async function isThere({ client }: RepositoryPlace, digest: string): Promise<boolean> {
  return (await findManifest(client, digest)) !== undefined;
}
