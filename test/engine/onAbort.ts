/** Calls back at the abort, or at once if that has been. @returns what forgets it */
export function onAbort(signal: AbortSignal | undefined, callback: () => unknown): () => void {
  if (signal?.aborted) callback();
  signal?.addEventListener("abort", callback);
  return () => signal?.removeEventListener("abort", callback);
}
