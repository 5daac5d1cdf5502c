// The URNs that a resource may have had (step_generator.go, generateAliases): from its own aliases, and from its parent's rename.
import type { Alias } from "@pulumi/pulumi/proto/alias_pb.js";
import type { RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb.js";
import { createUrn, parseUrn } from "../urn.ts";

export interface Renames {
  project: string;
  stack: string;
  /** Old URN → new URN, of resources that were found by an alias. */
  aliased: ReadonlyMap<string, string>;
}

export function aliasUrns(request: RegisterResourceRequest, renames: Renames): string[] {
  const { project, stack } = renames;
  const [type, name, parent] = [request.getType(), request.getName(), request.getParent()];
  const own = request.getAliasesList().map((alias) => urnOf(alias, { type, name, parent }, renames));
  const formerParent = formerUrn(parent, renames);
  if (formerParent === undefined) return own;
  const [parentName, formerParentName] = [parseUrn(parent).name, parseUrn(formerParent).name];
  /** A child whose name contains its parent's name changes with it. */
  const inherited = (child: { type: string; name: string }): string => {
    const isNamedAfter = child.name.startsWith(parentName);
    const formerName = isNamedAfter ? formerParentName + child.name.slice(parentName.length) : child.name;
    return createUrn(stack, project, child.type, formerName, formerParent);
  };
  return [...own, inherited({ type, name }), ...own.map((urn) => inherited(parseUrn(urn)))];
}

function urnOf(
  alias: Alias,
  resource: { type: string; name: string; parent: string },
  renames: Renames,
): string {
  const spec = alias.getSpec();
  if (!spec) return alias.getUrn();
  const given = spec.getParenturn();
  const parent = given ? (formerUrn(given, renames) ?? given) : resource.parent;
  return createUrn(
    spec.getStack() || renames.stack,
    spec.getProject() || renames.project,
    spec.getType() || resource.type,
    spec.getName() || resource.name,
    spec.getNoparent() ? undefined : parent,
  );
}

const formerUrn = (urn: string, { aliased }: Renames): string | undefined =>
  [...aliased].find(([, renamed]) => renamed === urn)?.[0];
