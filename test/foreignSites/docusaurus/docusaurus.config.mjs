/** @type {import("@docusaurus/types").Config} */
export default {
  title: "Kettle handbook",
  url: "https://docs.example.com",
  baseUrl: "/handbook/",
  favicon: "img/kettle.svg",
  onBrokenLinks: "throw",
  presets: [["classic", { blog: false, docs: { routeBasePath: "docs" } }]],
  themes: [["@easyops-cn/docusaurus-search-local", { hashed: "filename", indexBlog: false }]],
  themeConfig: {
    navbar: { title: "Kettle handbook", items: [{ to: "/docs/intro", label: "Docs" }] },
    colorMode: { respectPrefersColorScheme: true },
  },
};
