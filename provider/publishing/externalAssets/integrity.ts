import { hash } from "node:crypto";

/** The digests that browsers compare, the weakest first. */
const ALGORITHMS = ["sha256", "sha384", "sha512"] as const;

/** Digests of content in base64, by algorithm. */
export type Digests = Readonly<Record<(typeof ALGORITHMS)[number], string>>;

export const digestsOf = (bytes: Uint8Array): Digests => ({
  sha256: hash("sha256", bytes, "base64"),
  sha384: hash("sha384", bytes, "base64"),
  sha512: hash("sha512", bytes, "base64"),
});

/** Whether content is what `integrity` asks for: only the strongest digests count, and a text without any asks for nothing. */
export function hasIntegrity(digests: Digests, integrity: string): boolean {
  const wanted = integrity.split(/\s+/).flatMap((each) => {
    const [, algorithm, digest = ""] =
      /^(sha256|sha384|sha512)-([A-Za-z0-9+/_=-]+)(?:\?.*)?$/.exec(each) ?? [];
    const strength = ALGORITHMS.findIndex((name) => name === algorithm);
    return strength < 0 ? [] : [{ strength, digest: digest.replaceAll("-", "+").replaceAll("_", "/") }];
  });
  if (wanted.length === 0) return true;
  const strongest = Math.max(...wanted.map(({ strength }) => strength));
  const own = digests[ALGORITHMS[strongest] ?? "sha384"];
  return wanted.some(({ strength, digest }) => strength === strongest && digest === own);
}

/** The value of `integrity` for content. */
export const integrityOf = (bytes: Uint8Array): string => `sha384-${hash("sha384", bytes, "base64")}`;
