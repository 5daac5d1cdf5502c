import { defineConfig } from "vitest/config";

/** Sites with tabs and accordions, which their generators build, and the search in them. Pagefind runs in a browser. */
export default defineConfig({
  test: {
    name: "tab sites",
    root: import.meta.dirname,
    include: ["tabSites.test.ts"],
    maxWorkers: 1,
    reporters: ["default", `${import.meta.dirname}/../totalsReporter.ts`],
  },
});
