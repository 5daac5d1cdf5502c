// A program's reads of another stack: its outputs, with secrets as such (builtins.go, readStackReference).
import { stackType } from "../urn.ts";
import { type PropertyMap, secretKeys } from "./propertyValues.ts";
import { type Provider, ProviderError } from "./provider.ts";
import type { StateFile } from "./stateFile.ts";

export const stackReferenceType = "pulumi:pulumi:StackReference";

/**
 * Finds the stacks beside this one that have the same passphrase.
 *
 * @param project of this stack: a name without a project belongs to it
 */
export function stackReferences(file: StateFile, project: string): Provider {
  const read = ({ name = "" }: PropertyMap): PropertyMap => {
    if (typeof name !== "string") throw new ProviderError('property "name" must be a string');
    const parts = name.split("/");
    const [owner, stack] = parts.length === 3 ? [parts[1], parts[2]] : [project, name];
    const found = file.beside(`${owner}.${stack}.json`);
    if (!found) throw new ProviderError(`unknown stack ${JSON.stringify(name)}`);
    const root = found.read().resources.find(({ type }) => type === stackType);
    const outputs = root?.outputs ?? {};
    return { name, outputs, secretOutputNames: secretKeys(outputs).toSorted() };
  };
  const isOnlyRead = () => Promise.reject(new ProviderError("a stack reference is only read"));
  const nothing = () => Promise.resolve();
  return {
    supportsPreview: false,
    check: isOnlyRead,
    diff: () => Promise.resolve({ changes: false, replaces: [], deleteBeforeReplace: false }),
    create: isOnlyRead,
    update: isOnlyRead,
    // eslint-disable-next-line @typescript-eslint/require-await -- what it throws is to reject
    read: async ({ id, inputs = {} }) => ({ id: id ?? "", inputs, outputs: read(inputs) }),
    delete: nothing,
    cancel: nothing,
    stop: nothing,
    close: nothing,
  };
}
