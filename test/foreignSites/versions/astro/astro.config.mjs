export default { build: { inlineStylesheets: "never" }, vite: { build: { assetsInlineLimit: 0 } } };
