// Paths of `ignoreChanges`: `a.b[0].c`.
import type { PropertyMap, PropertyValue } from "./propertyValues.ts";

type PropertyPath = (string | number)[];
type Container = PropertyMap | PropertyValue[];

/** `inputs` with the values of `olds` at the paths. */
export function resetPaths(inputs: PropertyMap, olds: PropertyMap, paths: readonly string[]): PropertyMap {
  const reset = structuredClone(inputs);
  for (const text of paths) resetAt(reset, olds, parsePath(text));
  return reset;
}

function parsePath(text: string): PropertyPath {
  const path: PropertyPath = [];
  const piece = /\.?(?:([^.[\]"*]+)|\[(\d+)\])/y;
  while (piece.lastIndex < text.length) {
    const match = piece.exec(text);
    if (!match) {
      throw new Error(`not supported by the test engine: the property path ${JSON.stringify(text)}`);
    }
    const [, name = "", index] = match;
    path.push(index === undefined ? name : Number(index));
  }
  return path;
}

/** A path inside an added or removed value can't be ignored, and stays. */
function resetAt(target: Container, source: Container, [step = "", ...rest]: PropertyPath): void {
  const old = at(source, step);
  const next = at(target, step);
  if (rest.length > 0) {
    if (isContainer(old) && isContainer(next)) resetAt(next, old, rest);
  } else if (old !== undefined) (target as PropertyMap)[step] = old;
  else if (!Array.isArray(target)) Reflect.deleteProperty(target, step);
}

const isContainer = (value: PropertyValue | undefined): value is Container =>
  typeof value === "object" && value !== null;

const at = (container: Container, step: string | number): PropertyValue | undefined =>
  (container as PropertyMap)[step];
