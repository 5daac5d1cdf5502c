// Preloaded into the processes of a stack (NODE_OPTIONS): sets their wall clock off by CLOCK_SKEW_MS.
const skewMs = Number(process.env["CLOCK_SKEW_MS"]);
const now = Date.now.bind(Date);
Date.now = () => now() + skewMs;
