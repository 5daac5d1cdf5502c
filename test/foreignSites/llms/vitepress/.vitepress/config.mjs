import { defineConfig } from "vitepress";
import llmstxt from "vitepress-plugin-llms";

export default defineConfig({
  title: "Fastify",
  ignoreDeadLinks: true,
  markdown: { math: true, lineNumbers: true },
  vite: { plugins: [llmstxt()] },
});
