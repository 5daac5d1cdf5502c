import { defineConfig } from "vitest/config";

/** Sites of many generators, and their Markdown beside that of the generators' own plugins. */
export default defineConfig({
  test: {
    name: "llms sites",
    root: import.meta.dirname,
    include: ["llmsSites.test.ts"],
    maxWorkers: 1,
    reporters: ["default", `${import.meta.dirname}/../totalsReporter.ts`],
  },
});
