/** Size of a block of a tar, in bytes. */
export const BLOCK_BYTES = 512;

/** Where a field of a header is, in bytes. */
type TarField = readonly [offset: number, length: number];

/** The fields of a header, without those that no site needs. */
type TarFieldName =
  | "name"
  | "mode"
  | "user"
  | "group"
  | "size"
  | "time"
  | "sum"
  | "type"
  | "link"
  | "magic"
  | "version"
  | "prefix";

export const FIELDS: Readonly<Record<TarFieldName, TarField>> = {
  name: [0, 100],
  mode: [100, 8],
  user: [108, 8],
  group: [116, 8],
  size: [124, 12],
  time: [136, 12],
  sum: [148, 8],
  type: [156, 1],
  link: [157, 100],
  magic: [257, 6],
  version: [263, 2],
  prefix: [345, 155],
};

/** The magic of POSIX. Other formats use the bytes of the prefix differently. */
export const USTAR = "ustar\0";

/** The largest size that fits in a header's field, in octal digits. */
export const LARGEST_SIZE: number = 8 ** 11 - 1;

/** The checksum of a header, which counts its own field as spaces. */
export function sumOf(header: Buffer): number {
  const [offset, length] = FIELDS.sum;
  let sum = length * 0x20;
  for (let at = 0; at < offset; at++) sum += header[at] ?? 0;
  for (let at = offset + length; at < BLOCK_BYTES; at++) sum += header[at] ?? 0;
  return sum;
}

/** How many bytes of padding follow content of this size, to the next block. */
export function paddingOf(size: number): number {
  return (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;
}
