import { isUnknown } from "../../base/runtime/messages/plainText";
import { fileDigest } from "../../copies/source/fileDigest";
import { chartDigest } from "../../kits/contents/chartDigest";
import type { Properties } from "../session/storedProperties";

/**
 * Adds the digests of the local files that inputs name: of a bundle file, and of a chart. They detect changed content under the
 * same name. The classes of the npm package compute them in the user's program; the SDKs of other languages cannot. A file that
 * cannot be read gets none: the life cycle reports the error.
 */
export async function withLocalDigests(inputs: Properties): Promise<Properties> {
  const { source, chart } = inputs;
  const file = fieldOf(source, "file");
  const given = fieldOf(source, "fileSha256");
  const fileSha256 = isPath(file) && given === undefined ? await fileDigest(file) : undefined;
  const path = typeof chart === "string" ? chart : fieldOf(chart, "path");
  const digest = isPath(path) && fieldOf(chart, "digest") === undefined ? digestOfChart(path) : undefined;
  return {
    ...inputs,
    ...(fileSha256 !== undefined && { source: { ...(source as object), fileSha256 } }),
    ...(digest !== undefined && { chart: { path, digest } }),
  };
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as Properties)[name] ?? undefined;
}

function isPath(value: unknown): value is string {
  return typeof value === "string" && !isUnknown(value);
}

function digestOfChart(path: string): string | undefined {
  try {
    return chartDigest(path);
  } catch {
    return undefined;
  }
}
