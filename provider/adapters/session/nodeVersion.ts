// The provider and the program load this module first: an older Node.js fails later, or only with ERR_REQUIRE_ESM.

/** The first version that requires ES modules without a flag: see `engines` of package.json. */
const FIRST = [22, 12] as const;

/**
 * Whether options of Node.js forbid to require ES modules. `process.features.require_module` does not tell: test runners such as Jest set
 * it to false for code that they load themselves.
 */
export function canRequireModules(options: readonly string[]): boolean {
  const last = options.findLast((option) => REQUIRE_MODULE.test(option)) ?? "";
  return !last.startsWith("--no-");
}

const REQUIRE_MODULE = /^--(?:no-)?(?:experimental-)?require-module$/;

/** @throws Error for an older Node.js, or one started without support for requiring ES modules */
export function requireNode(version: string, hasModules: boolean): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isOlder = major < FIRST[0] || (major === FIRST[0] && minor < FIRST[1]);
  if (!isOlder && hasModules) return;
  const flag = isOlder ? "" : " with --no-experimental-require-module";
  const error = new Error(
    `pulumi-docs-hosting needs Node.js ${FIRST.join(".")} or later; this is v${version}${flag}`,
  );
  error.stack = error.message; // the stack is useless to a user
  throw error;
}

const OPTIONS = [...(process.env["NODE_OPTIONS"] ?? "").split(/\s+/), ...process.execArgv];

requireNode(process.versions.node, process.features.require_module || canRequireModules(OPTIONS));
