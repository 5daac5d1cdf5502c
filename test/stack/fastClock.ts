// Preloaded into the processes of a stack (NODE_OPTIONS): their time passes CLOCK_SPEED times as fast.
const speed = Number(process.env["CLOCK_SPEED"]);
const began = Date.now();
const now = Date.now.bind(Date);
const monotonic = performance.now.bind(performance);
const timer = globalThis.setTimeout;

Date.now = () => began + (now() - began) * speed;
performance.now = () => monotonic() * speed;
globalThis.setTimeout = ((callback: () => void, delayMs = 0) =>
  timer(callback, delayMs / speed)) as typeof setTimeout;
