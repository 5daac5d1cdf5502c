import { digestFile } from "../../base/runtime/files/listing";

/**
 * SHA-256 of a file, hexadecimal. `undefined` if the file cannot be read or the path is invalid: the provider reports the error.
 */
export function fileDigest(path: string): Promise<string | undefined> {
  return digestFile(path, new AbortController().signal).then(
    ({ sha256 }) => sha256,
    () => undefined,
  );
}
