import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Texts by their path in the package. Only the bundle of the native plugin defines this, when it is built: its executable has no
 * package around it.
 */
declare const EMBEDDED_TEXTS: Readonly<Record<string, string>> | undefined;

/** Whether this code runs in the bundle of the native plugin, which contains all packages that it loads. */
export const isBundled: boolean = typeof EMBEDDED_TEXTS !== "undefined";

/**
 * A file that the package contains unchanged. A compiler copies no scripts, so it is not beside the compiled code.
 *
 * @param path in the package
 */
export function packageText(path: string): string {
  if (typeof EMBEDDED_TEXTS === "undefined") {
    return readFileSync(join(packageFolder(__dirname), path), "utf8");
  }
  const text = EMBEDDED_TEXTS[path];
  if (text === undefined) throw new Error(`the plugin does not contain ${path}`);
  return text;
}

function packageFolder(folder: string): string {
  return existsSync(join(folder, "package.json")) ? folder : packageFolder(dirname(folder));
}

/** The version of this package. */
export function packageVersion(): string {
  const { version } = JSON.parse(packageText("package.json")) as { version: string };
  return version;
}
