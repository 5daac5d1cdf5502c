/** @type {import("@docusaurus/types").Config} */
export default {
  title: "Mastra",
  url: "https://docs.example.com",
  baseUrl: "/",
  onBrokenLinks: "ignore",
  onBrokenAnchors: "ignore",
  markdown: { format: "md", hooks: { onBrokenMarkdownLinks: "ignore", onBrokenMarkdownImages: "ignore" } },
  presets: [["classic", { blog: false, docs: { routeBasePath: "/" } }]],
  themeConfig: { navbar: { title: "Mastra", items: [{ to: "/docs", label: "Docs" }] } },
};
