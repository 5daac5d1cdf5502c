import type * as dynamic from "../provider/dynamic";

/** What the text loads, from the program's folder. */
export const HANDLER_MODULE = "pulumi-docs-hosting/dynamic";

/**
 * The text of `__provider`, by which Pulumi's dynamic-provider process finds the implementation: a name, not code. The
 * process resolves it from the program's folder, where the package is a dependency.
 *
 * FROZEN: every user's state holds this text; a changed text would show an update to every user.
 */
export function handlerText(resource: keyof typeof dynamic): string {
  return `exports.handler = () => require("module").createRequire(process.cwd() + "/_")("pulumi-docs-hosting/dynamic").${resource};`;
}
