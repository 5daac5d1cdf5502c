// Preloaded into the processes of a stack (NODE_OPTIONS): puts their wall clock off by CLOCK_SKEW_MS, which is
// another in each run of a process that is used again.
const now = Date.now.bind(Date);
Date.now = () => now() + Number(process.env["CLOCK_SKEW_MS"] ?? 0);
