import { basename } from "node:path/posix";
import { parseBase, repositoryName } from "../registry/reference";
import { packageVersion } from "../../runtime/files/packageVersion";

/** The URL of this package, see https://github.com/package-url/purl-spec. */
export function ownPackageUrl(): string {
  return `pkg:npm/pulumi-docs-hosting@${packageVersion()}`;
}

/** The URL of an image. @param name as a user writes it, without a digest @param digest `sha256:…` */
export function imagePackageUrl(name: string, digest: string): string {
  const { tag, ...repository } = parseBase(`${name}@${digest}`);
  const qualifiers = [
    `repository_url=${encodeURIComponent(repositoryName(repository))}`,
    ...(tag === undefined ? [] : [`tag=${encodeURIComponent(tag)}`]),
  ];
  const last = basename(repository.path);
  return `pkg:oci/${encodeURIComponent(last)}@${encodeURIComponent(digest)}?${qualifiers.join("&")}`;
}
