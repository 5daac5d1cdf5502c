/** Calls back at the abort, or at once if it was aborted already. @returns a function that removes the callback */
export function onAbort(signal: AbortSignal | undefined, callback: () => unknown): () => void {
  if (signal?.aborted) callback();
  signal?.addEventListener("abort", callback);
  return () => signal?.removeEventListener("abort", callback);
}
