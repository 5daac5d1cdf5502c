/**
 * The forms in which a secret could be found: plain, URL-encoded, and in base64 text, for each offset, the characters that depend
 * only on the secret.
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
