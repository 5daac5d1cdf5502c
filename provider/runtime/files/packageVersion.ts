import { ownText } from "./ownText";

/** The version of this package. */
export function packageVersion(): string {
  const { version } = JSON.parse(ownText("package.json")) as { version: string };
  return version;
}
