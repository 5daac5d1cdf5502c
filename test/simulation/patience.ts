/**
 * The limit of waits for another process or thread, in milliseconds. A busy machine must not reach it, as only a hang does; it is below the
 * limit of a test, so that the wait says what is missing.
 */
export const PATIENCE_MS = 200_000;

export const PATIENTLY = { timeout: PATIENCE_MS };
