import { expect } from "vitest";
import type { Installation } from "./installation.ts";

/**
 * Does exactly what the message about a pending release of a killed run says: finds Helm's record of it, and deletes that one.
 */
export async function removePendingRecord({ kubectl }: Installation, message: string): Promise<void> {
  const find = /kubectl (--namespace \S+ get secrets .*)$/m.exec(message)?.[1];
  const remove = /kubectl (--namespace \S+ delete secret) (\S+)\.vN$/m.exec(message);
  expect(find, message).toBeDefined();
  expect(remove, message).not.toBeNull();

  const found = await kubectl(...argumentsOf(find ?? ""), "--output=name");
  const newest = found.trim().split("\n").at(-1) ?? "";
  expect(newest).toMatch(new RegExp(`^secret/${remove?.[2]?.replaceAll(".", "\\.") ?? ""}\\.v\\d+$`));
  await kubectl(...argumentsOf(remove?.[1] ?? ""), newest.replace("secret/", ""));
}

/** The words of a command in a message, with quotes around those that a shell would split. */
function argumentsOf(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}
