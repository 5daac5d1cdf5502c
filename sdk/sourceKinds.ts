import * as pulumi from "@pulumi/pulumi";
import type { SourceKind } from "../provider/copies/source/bundleSource";
import { fileDigest } from "../provider/copies/source/fileDigest";

/** What the classes do with a source of a kind. */
interface SourceKindRow {
  /** Whether it is an export at the service, whose base URL may come from the configuration. */
  readonly isAtService: boolean;
  /** What only the user's program can find out. */
  readonly added: (given: object) => object;
}

/** For a further kind, the compiler asks for its row. */
const ROWS: Readonly<Record<SourceKind, SourceKindRow>> = {
  jobId: { isAtService: true, added: () => ({}) },
  file: {
    isAtService: false,
    added(given) {
      const { file } = given as { readonly file: pulumi.Input<unknown> };
      const path = pulumi.output(file) as pulumi.Output<string>;
      return { fileSha256: path.apply(fileDigest) };
    },
  },
};

function rowsOf(source: object): SourceKindRow[] {
  const given = Object.entries(source).filter(([, value]) => value !== undefined);
  return Object.entries(ROWS).flatMap(([kind, row]) => (given.some(([name]) => name === kind) ? [row] : []));
}

/** Whether a source is an export at the service, as a program writes it. */
export function isAtService(source: unknown): source is object {
  return typeof source === "object" && source !== null && rowsOf(source).some((row) => row.isAtService);
}

/** A source with what its class adds. Another value stays as it is: the provider refuses it. */
export function withAdded(source: unknown): unknown {
  if (typeof source !== "object" || source === null) return source;
  const rows = rowsOf(source);
  return rows.length === 0 ? source : Object.assign({}, source, ...rows.map(({ added }) => added(source)));
}
