/** A text in UTF-8. `Buffer.from` would take the bytes from a pool that other buffers share, and keep all of it alive. */
export function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
