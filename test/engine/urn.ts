// urn:pulumi:STACK::PROJECT::PARENT-TYPES$TYPE::NAME

export const stackType = "pulumi:pulumi:Stack";

export interface UrnParts {
  type: string;
  name: string;
}

export function createUrn(
  stack: string,
  project: string,
  type: string,
  name: string,
  parent: string | undefined,
): string {
  const parentType = parent?.split("::")[2];
  const prefix = parentType && parentType !== stackType ? `${parentType}$` : "";
  return `urn:pulumi:${stack}::${project}::${prefix}${type}::${name}`;
}

export function parseUrn(urn: string): UrnParts {
  const [, , types = "", ...name] = urn.split("::");
  return { type: types.split("$").at(-1) ?? "", name: name.join("::") };
}
