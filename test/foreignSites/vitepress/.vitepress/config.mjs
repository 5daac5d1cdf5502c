/** @type {import("vitepress").UserConfig} */
export default {
  title: "Bicycle notes",
  lang: "en",
  cleanUrls: true,
  head: [["link", { rel: "icon", href: "/wheel.svg" }]],
  themeConfig: {
    search: { provider: "local" },
    nav: [{ text: "Brakes", link: "/guide/brakes" }],
    sidebar: [
      {
        text: "Guide",
        items: [
          { text: "Brakes", link: "/guide/brakes" },
          { text: "Chain", link: "/guide/chain" },
        ],
      },
    ],
  },
};
