import rehypeKatex from "rehype-katex";
import remarkMath from "remark-math";

// each of two plugins writes Markdown beside its pages: a site for each
const plugins = {
  llms: [["docusaurus-plugin-llms", { generateMarkdownFiles: true, docsDir: "docs" }]],
  txt: [["@signalwire/docusaurus-plugin-llms-txt", { content: { enableLlmsFullTxt: true } }]],
};

/** @type {import("@docusaurus/types").Config} */
export default {
  title: "Fastify",
  url: "https://docs.example.com",
  baseUrl: "/",
  onBrokenLinks: "ignore",
  onBrokenAnchors: "ignore",
  markdown: { format: "detect", hooks: { onBrokenMarkdownLinks: "ignore" } },
  presets: [
    [
      "classic",
      {
        blog: false,
        docs: { routeBasePath: "/", remarkPlugins: [remarkMath], rehypePlugins: [rehypeKatex] },
      },
    ],
  ],
  plugins: plugins[process.env.LLMS_PLUGIN] ?? [],
  themeConfig: { navbar: { title: "Fastify", items: [{ to: "/", label: "Docs" }] } },
};
