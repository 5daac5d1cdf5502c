import { isDeepStrictEqual } from "node:util";
import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb";
import { hasFields } from "../../base/runtime/values/fields";
import type { Diff } from "../../resource/lifeCycle";
import { filled } from "../session/rowReporter";
import type { Properties } from "../session/storedProperties";

/**
 * A diff with each changed property, down to the fields of objects and the entries of lists.
 *
 * @param before the inputs in the state
 * @param outputs the outputs in the state
 * @param predicted the outputs after the update, if no changed input shows its effect
 */
export function detailedDiff(
  { changed, replaces, hidden }: Diff,
  before: Properties,
  news: Properties,
  outputs: Properties,
  predicted: Properties = outputs,
): DiffResponse {
  const { DIFF_SOME, DIFF_NONE } = DiffResponse.DiffChanges;
  const reply = filled(new DiffResponse(), {
    changes: changed.length > 0 || hidden ? DIFF_SOME : DIFF_NONE,
    replacesList: replaces,
    hasdetaileddiff: true,
  });
  const details = reply.getDetaileddiffMap();
  for (const name of changed) {
    for (const [path, kind] of changes(before[name], news[name], name, replaces.includes(name))) {
      details.set(path, filled(new PropertyDiff(), { kind, inputdiff: true }));
    }
  }
  const moved = Object.keys(predicted).filter((name) => !isDeepStrictEqual(predicted[name], outputs[name]));
  const kind = PropertyDiff.Kind.UPDATE;
  for (const name of moved) details.set(name, filled(new PropertyDiff(), { kind }));
  reply.setDiffsList([...changed, ...moved]);
  return reply;
}

type Change = [path: string, kind: PropertyDiff.Kind];

function changes(before: unknown, now: unknown, path: string, replaces: boolean): Change[] {
  const { ADD, ADD_REPLACE, DELETE, DELETE_REPLACE, UPDATE, UPDATE_REPLACE } = PropertyDiff.Kind;
  if (isAbsent(before)) return [[path, replaces ? ADD_REPLACE : ADD]];
  if (isAbsent(now)) return [[path, replaces ? DELETE_REPLACE : DELETE]];
  const areLists = Array.isArray(before) && Array.isArray(now) && before.length === now.length;
  const [old, fresh] =
    areLists || (hasFields(before) && hasFields(now))
      ? ([before, now] as [Properties, Properties])
      : [{}, {}];
  const names = Object.keys({ ...old, ...fresh }).filter(
    (name) => !isDeepStrictEqual(old[name], fresh[name]),
  );
  if (names.length === 0) return [[path, replaces ? UPDATE_REPLACE : UPDATE]];
  return names.flatMap((name) =>
    changes(old[name], fresh[name], `${path}${areLists ? `[${name}]` : fieldOf(name)}`, replaces),
  );
}

/** https://www.pulumi.com/docs/iac/concepts/miscellaneous/property-paths/ */
function fieldOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined;
