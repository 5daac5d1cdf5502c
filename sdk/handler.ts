import type * as dynamic from "../provider/dynamic";

/**
 * The text of `__provider`, by which Pulumi's dynamic-provider process finds the implementation: a name, not code. It
 * is looked up from the program's folder, where the package is a dependency.
 *
 * FROZEN: it is part of every user's state; a changed text would show everybody an update.
 */
export function handlerText(resource: keyof typeof dynamic): string {
  return `exports.handler = () => require("module").createRequire(process.cwd() + "/_")("pulumi-docs-hosting/dynamic").${resource};`;
}
