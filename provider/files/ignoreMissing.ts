/** For `catch`: what is not there gives `undefined`, and everything else is thrown. */
export function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}
