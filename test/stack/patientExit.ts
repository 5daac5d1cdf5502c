// Preloaded into the processes of a stack (NODE_OPTIONS): what waits for exactly a second, as an operation does for its spans
// to leave, waits for minutes, so that no busy machine is too slow for it.
const timer = globalThis.setTimeout;

globalThis.setTimeout = ((callback: () => void, delayMs = 0) =>
  timer(callback, delayMs === 1_000 ? 300_000 : delayMs)) as typeof setTimeout;
