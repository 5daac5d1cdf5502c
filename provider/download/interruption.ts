/** The connection failed while an answer was read; the cause is node-fetch's. */
export class InterruptedError extends Error {
  constructor(cause: unknown) {
    super("interrupted", { cause });
  }
}

/** What reading an answer gives. @throws InterruptedError for whatever it throws */
export async function interruptible<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new InterruptedError(error);
  }
}
