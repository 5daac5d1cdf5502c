// Before anything is loaded that is an ES module, as node-fetch is: an older Node.js only says ERR_REQUIRE_ESM.
if (!process.features.require_module) {
  const error = new Error(`pulumi-docs-hosting needs Node.js 22.12 or later; this is ${process.version}`);
  error.stack = error.message; // where it was thrown tells a user nothing
  throw error;
}
