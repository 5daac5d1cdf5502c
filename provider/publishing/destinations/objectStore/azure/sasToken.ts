import { ConfigurationError } from "../../../../base/runtime/messages/errors";

/**
 * A SAS token as requests have it, however it was copied: in quotes, as a whole URL, with a question mark, percent-encoded once, twice or
 * not, broken into lines, from the source of a page.
 *
 * @param source the name of its variable, for messages
 * @param host of the account's blob service
 * @throws ConfigurationError for a text that is not a SAS token, or a URL of another host. No message has a part of the token
 */
export function sasToken(text: string, source: string, host: string): string {
  const copied = unquoted(text)
    .replace(/\s*[\r\n]+\s*/g, "")
    .replaceAll("&amp;", "&");
  // as the value of another URL
  const plain = copied.includes("=") ? copied : decoded(copied);
  const url = /^https?:/i.test(plain) ? URL.parse(plain.replace(/\?.*$/s, "")) : undefined;
  if (url && url.host !== host) {
    throw new ConfigurationError(
      `${source} is a URL of ${url.host}, and the destination's account is at ${host}`,
      "Correct one of the two.",
    );
  }
  const query = plain.replace(url ? /^[^?]*\??/ : /^\?/, "").replace(/#.*$/s, "");
  const fields = query.split("&").flatMap((pair) => {
    const [, name = "", value = ""] = /^\s*([^=]*?)\s*=(.*)$/s.exec(pair) ?? [];
    // a blank within is a plus that a form decoded
    return name === ""
      ? []
      : [[name, decoded(value.trim()).replaceAll(" ", name === "sig" ? "+" : "")] as const];
  });
  const names = new Set(fields.map(([name]) => name));
  if (!names.has("sig") || !names.has("sv")) {
    throw new ConfigurationError(
      `${source} is not a SAS token: it has no ${names.has("sig") ? "«sv»" : "«sig»"}`,
      "Copy the whole token: it begins with «sv=» or «sp=», and has «sig=».",
    );
  }
  return fields.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
}

/** A value of a variable without quotes and blanks around it. */
export const unquoted = (text: string): string =>
  text
    .trim()
    .replace(/^(["'])(.*)\1$/s, "$2")
    .trim();

/** A value without percent-encoding; unchanged if it has none. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
