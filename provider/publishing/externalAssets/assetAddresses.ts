import { externalAddress, SITE_BASE } from "../inspection/externalAddress";

/** An address as the inspection reports it. */
export function shownAddress({ href }: URL): string {
  return externalAddress(href, SITE_BASE) ?? "";
}

/** The address of a file, relative to another. Both are below the site's root. */
export function relativeAddress(from: string, to: string): string {
  const [own, other] = [from.split("/").slice(0, -1), to.split("/")];
  let common = 0;
  while (common < own.length && common < other.length - 1 && own[common] === other[common]) common++;
  return "../".repeat(own.length - common) + other.slice(common).map(encodeURIComponent).join("/");
}
