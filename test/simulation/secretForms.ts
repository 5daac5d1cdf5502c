/**
 * A secret as somebody might find it: as it is, as in a URL, and of base64 text, at each place where it can begin in what
 * was encoded, the characters that depend on it alone.
 */
export function formsOf(secret: string): string[] {
  const encoded = (["base64", "base64url"] as const).flatMap((encoding) =>
    [0, 1, 2].map((before) => {
      const end = before + secret.length;
      const text = Buffer.from("_".repeat(before) + secret).toString(encoding);
      return text.slice(Math.ceil((before * 8) / 6), Math.floor((end * 8) / 6));
    }),
  );
  return [...new Set([secret, encodeURIComponent(secret), ...encoded])];
}
