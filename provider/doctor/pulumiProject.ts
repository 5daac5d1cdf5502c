import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parse } from "yaml";

/** A Pulumi project. */
export interface PulumiProject {
  /** The file that defines it. */
  readonly file: string;
  /** The folder of its program. */
  readonly program: string;
  /** The language of its program, such as "nodejs"; empty if the file does not say. */
  readonly runtime: string;
}

const FILES = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"];

/** The project that a folder belongs to, as the Pulumi CLI finds it: in the folder or the nearest one above. */
export function findProject(folder: string): PulumiProject | undefined {
  for (const name of FILES) {
    const file = join(folder, name);
    let text: string;
    try {
      text = readFileSync(file, "utf8");
    } catch {
      continue;
    }
    const { runtime, main } = contentOf(text);
    const language = typeof runtime === "string" ? runtime : (runtime?.name ?? "");
    return { file, program: resolve(folder, typeof main === "string" ? main : "."), runtime: language };
  }
  return dirname(folder) === folder ? undefined : findProject(dirname(folder));
}

interface ProjectFile {
  readonly runtime?: string | { readonly name?: string };
  readonly main?: unknown;
}

/** Empty for a file that is not YAML: the CLI reports that. */
function contentOf(text: string): ProjectFile {
  try {
    return Object(parse(text)) as ProjectFile;
  } catch {
    return {};
  }
}
