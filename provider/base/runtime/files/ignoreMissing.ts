/** For `catch`: returns `undefined` for an error of the file system with one of the codes, and throws any other error. */
export function ignoring(...codes: string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  };
}

/** For `catch`: returns `undefined` for a missing file, and throws any other error. */
export const ignoreMissing: (error: unknown) => undefined = ignoring("ENOENT");
