// Paths of `ignoreChanges` and `replaceOnChanges`: `a.b[0]["c d"]`, with `*` for every key or index.
import { isDeepStrictEqual } from "node:util";
import { plain, type PropertyMap, type PropertyValue } from "./propertyValues.ts";

export type PropertyPath = (string | number)[];

export function parsePath(text: string): PropertyPath {
  const path: PropertyPath = [];
  const piece = /\.?(?:([^.[\]"]+)|\[(\d+|\*)\]|\["((?:[^"\\]|\\.)*)"\])/y;
  while (piece.lastIndex < text.length) {
    const match = piece.exec(text);
    if (!match) throw new Error(`invalid property path ${JSON.stringify(text)}`);
    const [, name, index, quoted] = match;
    if (index !== undefined) path.push(index === "*" ? "*" : Number(index));
    else path.push(name ?? (quoted ?? "").replace(/\\(.)/g, "$1"));
  }
  return path;
}

/** Whether `pattern` names `path` or something around it. */
export const covers = (pattern: PropertyPath, path: PropertyPath): boolean =>
  pattern.length <= path.length && pattern.every((step, at) => step === "*" || step === path[at]);

/** Where two maps differ, as deep as both have the same shape. */
export function changedPaths(olds: PropertyMap, news: PropertyMap): PropertyPath[] {
  const keys = new Set([...Object.keys(olds), ...Object.keys(news)]);
  return [...keys].flatMap((key) => compare(plain(olds[key] ?? null), plain(news[key] ?? null), [key]));
}

function compare(old: PropertyValue, next: PropertyValue, path: PropertyPath): PropertyPath[] {
  if (isDeepStrictEqual(old, next)) return [];
  if (!isContainer(old) || !isContainer(next) || Array.isArray(old) !== Array.isArray(next)) return [path];
  const steps =
    Array.isArray(old) && Array.isArray(next)
      ? [...Array(Math.max(old.length, next.length)).keys()]
      : [...new Set([...Object.keys(old), ...Object.keys(next)])];
  return steps.flatMap((step) => compare(at(old, step) ?? null, at(next, step) ?? null, [...path, step]));
}

/**
 * `inputs` with the values that `olds` has at the paths.
 * @returns also the paths that can't be ignored, because they are within something that was added or removed
 */
export function resetPaths(
  inputs: PropertyMap,
  olds: PropertyMap,
  paths: readonly string[],
): { inputs: PropertyMap; impossible: string[] } {
  const reset = structuredClone(inputs);
  const impossible = paths.filter((text) => !resetAt(reset, olds, parsePath(text)));
  return { inputs: reset, impossible };
}

type Container = PropertyMap | PropertyValue[];

const isContainer = (value: PropertyValue | undefined): value is Container =>
  typeof value === "object" && value !== null;

const at = (container: Container, step: string | number): PropertyValue | undefined =>
  (container as PropertyMap)[step];

function resetAt(target: Container, source: Container, [step, ...rest]: PropertyPath): boolean {
  if (step === undefined) return true;
  if (step === "*") {
    const steps = new Set([...Object.keys(target), ...Object.keys(source)]);
    return [...steps].every((each) => resetAt(target, source, [each, ...rest]));
  }
  const old = at(source, step);
  if (rest.length === 0) {
    if (old !== undefined) (target as PropertyMap)[step] = old;
    else if (Array.isArray(target)) return at(target, step) === undefined;
    else Reflect.deleteProperty(target, step);
    return true;
  }
  const next = at(target, step);
  if (old === undefined && next === undefined) return true;
  return isContainer(old) && isContainer(next) && resetAt(next, old, rest);
}
