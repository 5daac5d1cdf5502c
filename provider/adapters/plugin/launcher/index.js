// Written for any Node.js: an old one could not even read plugin.js, and would say so in its own words.
var version = process.versions.node.split(".").map(Number);
if (version[0] < 22 || (version[0] === 22 && version[1] < 12)) {
  console.error("pulumi-docs-hosting needs Node.js 22.12 or later; this is v" + process.versions.node);
  process.exit(1);
}
require("./plugin.js");
