/** @type {import("@docusaurus/types").Config} */
export default {
  title: "Fruit",
  url: "https://docs.example.com",
  baseUrl: "/",
  presets: [["classic", { blog: false, docs: { routeBasePath: "/" } }]],
};
