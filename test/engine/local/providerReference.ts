// How a resource names the provider that a program gave it: URN::ID of a resource `pulumi:providers:PACKAGE`.
const typePrefix = "pulumi:providers:";

export const providerType = (packageName: string): string => `${typePrefix}${packageName}`;

export const isProviderType = (type: string): boolean => type.startsWith(typePrefix);

/** The package that it is the provider of. */
export const providedPackage = (type: string): string => type.slice(typePrefix.length);

/** `docs-hosting` of `docs-hosting:index:StaticExport`. */
export const packageOf = (type: string): string => type.slice(0, type.indexOf(":"));

export const referenceTo = ({ urn, id }: { urn: string; id: string }): string => `${urn}::${id}`;

export function parseReference(reference: string): { urn: string; id: string } {
  const at = reference.lastIndexOf("::");
  return { urn: reference.slice(0, at), id: reference.slice(at + 2) };
}
