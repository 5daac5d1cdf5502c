// Preloaded into the processes of a stack (NODE_OPTIONS): a wait of exactly a second, such as an operation's for its spans to be
// sent, becomes one of minutes, so that no busy machine is too slow for it.
const timer = globalThis.setTimeout;

globalThis.setTimeout = ((callback: () => void, delayMs = 0) =>
  timer(callback, delayMs === 1_000 ? 300_000 : delayMs)) as typeof setTimeout;
