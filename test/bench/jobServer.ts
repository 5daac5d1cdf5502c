/**
 * Process of a bench, apart from the measured one: the export endpoints with nothing behind them. Every job takes as many
 * milliseconds as the argument says. Sends its address to its parent, and ends with it.
 */
import { createServer } from "node:http";

const durationMs = Number(process.argv[2]);
const startedMs: number[] = [];

const server = createServer((request, response) => {
  request.resume().on("end", () => {
    const [, jobId, bundle] = /\/jobs(?:\/(\d+))?(\/bundle)?$/.exec(request.url ?? "") ?? [];
    const body = (): unknown => {
      if (jobId === undefined) return { jobId: String(startedMs.push(performance.now()) - 1) };
      if (bundle !== undefined) {
        return { bundleUrl: `http://127.0.0.1/${jobId}.tar.gz?signature=${"0".repeat(64)}` };
      }
      const share = (performance.now() - (startedMs[Number(jobId)] ?? NaN)) / durationMs;
      if (share >= 1) return { status: "completed", progress: 100, pageCount: 1_000 };
      return { status: "running", progress: Math.floor(100 * share), pageCount: Math.floor(1_000 * share) };
    };
    response.setHeader("content-type", "application/json").end(JSON.stringify(body()));
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address) process.send?.(`http://127.0.0.1:${address.port}`);
});
process.on("disconnect", () => process.exit());
