// Where a cluster is: the text of a kubeconfig file, its path, or what KUBECONFIG names.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { yaml } from "../wire.ts";

interface Document {
  "current-context"?: string;
  contexts?: { name: string; context?: { cluster?: string; namespace?: string } }[];
  clusters?: { name: string; cluster?: unknown }[];
}

export interface Kubeconfig {
  /** `undefined` when nothing says which cluster it is. */
  namespace: string | undefined;
  /** What is said of the cluster that is used: address, certificate. */
  cluster: unknown;
}

/** @throws when it can't be parsed */
export function readKubeconfig(pathOrText: string, context: string | undefined): Kubeconfig {
  return summarize([parse(readText(pathOrText))], context);
}

/** As kubectl finds it. What is not there, or can't be read, counts for nothing. */
export function readAmbientKubeconfig(env: NodeJS.ProcessEnv, context: string | undefined): Kubeconfig {
  const paths = env["KUBECONFIG"]
    ? env["KUBECONFIG"].split(delimiter)
    : [join(env["HOME"] ?? homedir(), ".kube/config")];
  const documents = paths.flatMap((path) => {
    try {
      return [parse(readFileSync(path, "utf8"))];
    } catch {
      return [];
    }
  });
  return summarize(documents, context);
}

function summarize(documents: Document[], wanted: string | undefined): Kubeconfig {
  const current = wanted || documents.map((each) => each["current-context"]).find(Boolean);
  const context = documents.flatMap(({ contexts }) => contexts ?? []).find(({ name }) => name === current);
  const cluster = documents
    .flatMap(({ clusters }) => clusters ?? [])
    .find(({ name }) => name === context?.context?.cluster);
  return { namespace: cluster && (context?.context?.namespace ?? "default"), cluster: cluster?.cluster };
}

function parse(text: string): Document {
  const document = yaml.load(text);
  if (typeof document !== "object" || document === null) throw new Error("it is no map");
  return document;
}

const expandHome = (path: string) => (/^~(\/|$)/.test(path) ? join(homedir(), path.slice(1)) : path);

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false; // perhaps because a whole kubeconfig is too long for a path
  }
}

function readText(pathOrText: string): string {
  const path = expandHome(pathOrText);
  return isFile(path) ? readFileSync(path, "utf8") : pathOrText;
}

/** For the command: the file itself, or one that holds the text and that only its owner can read. */
export class KubeconfigFile {
  readonly path: string;
  #folder: string | undefined;

  constructor(pathOrText: string) {
    const path = expandHome(pathOrText);
    if (isFile(path)) {
      this.path = path;
      return;
    }
    this.#folder = mkdtempSync(join(tmpdir(), "kubeconfig-"));
    this.path = join(this.#folder, "config");
    writeFileSync(this.path, pathOrText, { mode: 0o600 });
  }

  remove(): void {
    if (this.#folder) rmSync(this.#folder, { recursive: true, force: true });
  }
}
