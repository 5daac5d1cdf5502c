import { type DestinationInputs, kindFacts } from "../../publishing/index";
import type { CheckFailure } from "../../resource/inputTable";
import { folderFailures, localFailures } from "../publication/localFailures";

/** Finds problems of the known fields of a destination on this machine, without a request. */
export function destinationFailures(destination: DestinationInputs): readonly CheckFailure[] {
  const facts = kindFacts(destination);
  if (facts === undefined) return [];
  if ("folder" in destination) return folderFailures("destination.folder", destination.folder);
  const { kind, verifyLibrary } = facts;
  if (verifyLibrary === undefined) return [];
  const { [kind]: value } = destination as unknown as Readonly<Record<string, unknown>>;
  return localFailures([{ property: `destination.${kind}`, value, verify: verifyLibrary }]);
}
