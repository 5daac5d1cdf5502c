/**
 * File names with a content hash, as generators write them; the same as the chart's `web.immutablePattern`. Covers Next.js,
 * hexadecimal hashes, and the hashes of Vite.
 */
export const IMMUTABLE = new RegExp(
  [
    String.raw`/_next/static/.`,
    String.raw`(?<!-[0-9a-f]{4})[-.](?=[0-9a-f]*([0-9][a-f]+[0-9]|[a-f][0-9]+[a-f]))[0-9a-f]{8,64}(\.[A-Za-z]+){0,2}\.(?!html?$)[0-9a-z]+$`,
    String.raw`/assets/.*[-.](?=[^.]*[A-Z])(?=[^.]*[a-z])` +
      String.raw`(?!([a-z]?([A-Z]?[a-z]{2,}|[A-Z]{3,})+[0-9]*|([A-Za-z][a-z]*|[A-Z]+|[0-9]+)([-_]([A-Za-z][a-z]*|[A-Z]+|[0-9]+))+)\.)` +
      String.raw`[0-9A-Za-z_-]{8}(\.[a-z]+)?\.(?!html?$)[0-9a-z]+$`,
  ].join("|"),
);

/** Whether the content at a path never changes, judged by its name. */
export function isImmutable(path: string): boolean {
  return IMMUTABLE.test(`/${path}`);
}
