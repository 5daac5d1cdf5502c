// An inspection ends when it is stopped: by Ctrl-C or a time limit, which need the event loop.
import { expect, test } from "vitest";
import { inspectBundle } from "../../../../provider/publishing/inspection/bundle.ts";
import { SITE, tarGz } from "../../../chart/tarArchive.ts";
import { zip } from "../../../chart/zipArchive.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { bundleOnDisk, LIMITS } from "../archives/bundleOnDisk.ts";

const ERRORS = "\\\n".repeat(800_000);
const sheets = (count: number): { name: string; content: string }[] =>
  Array.from({ length: count }, (_, at) => ({ name: `${at}.css`, content: `url(a)${ERRORS}` }));

/** Processor time of this thread, in milliseconds: a busy machine does not make it longer. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

test.each<[string, Buffer]>([
  ["a style sheet of nothing but errors", tarGz([...SITE, ...sheets(1)])],
  ["several of them", tarGz([...SITE, ...sheets(3)])],
  ["a style of a page", tarGz([{ name: "index.html", content: `<style>url(${"a ".repeat(400_000)}` }])],
  [
    "a page in a page",
    tarGz([{ name: "index.html", content: `<iframe srcdoc="${"<p>".repeat(1_500_000)}">` }]),
  ],
  ["a drawing", tarGz([...SITE, { name: "a.svg", content: "<g/>".repeat(300_000) }])],
  ["the directory of a zip", zip(Array.from({ length: 5_000 }, (_, at) => ({ name: `${at}` })))],
])("%s does not block the event loop", async (_what, archive) => {
  const stop = new AbortController();
  const reason = new Error("time limit");
  const { signal } = stop;
  let longestMs = 0;
  let lastMs = threadMs();
  const watch = setInterval(() => {
    longestMs = Math.max(longestMs, threadMs() - lastMs);
    lastMs = threadMs();
  }, 1);
  const bundle = bundleOnDisk(archive);
  const reporter = recordingReporter();
  await inspectBundle(bundle, LIMITS, { signal, reporter }).catch(() => undefined); // one has no start page
  clearInterval(watch);
  expect(longestMs).toBeLessThan(1_500);
  const inspecting = inspectBundle(bundle, LIMITS, { signal, reporter });
  let turns = 0;
  const next = (): void => {
    if (++turns === 8) stop.abort(reason);
    else setImmediate(next);
  };
  next();
  await expect(inspecting).rejects.toBe(reason);
});
