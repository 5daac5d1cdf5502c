/** A record of an entry's attributes (POSIX pax): its length comes first, and includes itself. */
export function tarAttribute(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(rest);
  while (Buffer.byteLength(`${length}${rest}`) !== length) length++;
  return `${length}${rest}`;
}
