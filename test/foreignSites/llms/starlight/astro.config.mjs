import starlight from "@astrojs/starlight";
import { defineConfig } from "astro/config";
import starlightLlmsTxt from "starlight-llms-txt";

export default defineConfig({
  site: "https://docs.example.com",
  integrations: [starlight({ title: "Fastify", pagefind: false, plugins: [starlightLlmsTxt()] })],
});
