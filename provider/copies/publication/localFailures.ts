import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { pathProblem } from "../../base/runtime/files/pathProblem";
import { DocsHostingError } from "../../base/runtime/messages/errors";
import { isUnknown } from "../../base/runtime/messages/plainText";
import type { CheckFailure } from "../../resource/inputTable";
import { type CheckedSource, forItsSource } from "../source/bundleSource";

/** A value that a publication reads on this machine, and a check of it that needs no request. */
interface LocalInput {
  readonly property: string;
  readonly value: unknown;
  /** @throws DocsHostingError */
  readonly verify: (value: string) => unknown;
}

/** Finds problems of known values on this machine: with small reads, without a request. */
export function localFailures(inputs: readonly LocalInput[]): CheckFailure[] {
  return inputs.flatMap(({ property, value, verify }) => {
    if (typeof value !== "string" || isUnknown(value)) return [];
    try {
      verify(value);
      return [];
    } catch (error) {
      if (!(error instanceof DocsHostingError)) throw error;
      return [{ property, reason: `${error.message}. ${error.remedy}` }];
    }
  });
}

/** Finds why a publication cannot read the bundle that it is made of, without a request. */
export function bundleFailures(source: CheckedSource): CheckFailure[] {
  if (isUnknown(source)) return [];
  return forItsSource(source, { file: ({ file }) => fileFailures(file), jobId: () => [] });
}

function fileFailures(file: string): CheckFailure[] {
  if (isUnknown(file)) return [];
  const path = resolve(file);
  const failure = (reason: string): CheckFailure[] => [{ property: "source.file", reason }];
  const problem = pathProblem(file, "an archive", "./docs.tar.gz");
  if (problem !== undefined) return failure(problem);
  try {
    const stats = statSync(path);
    const found = stats.isDirectory() ? "a folder" : "no file";
    if (!stats.isFile()) return failure(`${path} is ${found}. Give the path of the archive itself`);
    accessSync(path, constants.R_OK);
    return [];
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    return failure(
      code === "ENOENT"
        ? `there is no file ${path}. Give the path of an archive, relative to the program's folder. ` +
            "If another resource makes the file, give that resource's output"
        : `cannot be read: ${path} (${code}). Make it readable, or give another file`,
    );
  }
}

/** Finds problems of a folder that a publication will create, as far as possible without creating it. */
export function folderFailures(property: string, folder: string): CheckFailure[] {
  if (isUnknown(folder)) return [];
  let at = resolve(folder);
  // Stryker disable next-line ConditionalExpression: on Windows a drive may be missing; elsewhere the root always exists
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  try {
    if (!statSync(at).isDirectory()) {
      return [{ property, reason: `cannot be made: ${at} is a file. Give the path of a folder` }];
    }
    accessSync(at, constants.W_OK | constants.X_OK);
    return [];
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    return [{ property, reason: `cannot be written: ${at} (${code}). Give another folder` }];
  }
}
