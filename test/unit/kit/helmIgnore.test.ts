import { expect, test } from "vitest";
import { helmIgnore } from "../../../provider/kit/helmIgnore.ts";

// cases of helm's own test, pkg/ignore/rules_test.go
test.each<[rules: string, path: string, isIgnored: boolean, isFolder?: boolean]>([
  ["helm.txt", "helm.txt", true],
  ["helm.*", "helm.txt", true],
  ["helm.*", "rudder.txt", false],
  ["*.txt", "tiller.txt", true],
  ["*.txt", "cargo/a.txt", true],
  ["cargo/*.txt", "cargo/a.txt", true],
  ["cargo/*.*", "cargo/a.txt", true],
  ["cargo/*.txt", "mast/a.txt", false],
  ["ru[c-e]?er.txt", "rudder.txt", true],
  ["templates/.?*", "templates/.dotfile", true],
  ["cargo/", "cargo", true, true],
  ["cargo/", "cargo", false],
  ["cargo/", "mast", false, true],
  ["helm.txt/", "helm.txt", false],
  ["!helm.txt", "helm.txt", false],
  ["!helm.txt", "tiller.txt", true],
  ["!*.txt", "cargo", true, true],
  ["!cargo/", "mast", true, true],
  ["/a.txt", "a.txt", true],
  ["/a.txt", "cargo/a.txt", false],
  ["/cargo/a.txt", "cargo/a.txt", true],
  ["a[b-d].txt", "ac.txt", true],
  ["a[^b-d].txt", "ac.txt", false],
  ["a\\*.txt", "a*.txt", true],
  ["a\\*.txt", "ab.txt", false],
  ["a+(b).txt", "a+(b).txt", true],
  ["", "templates/.x", true],
  ["# helm.txt\n\n  \n", "helm.txt", false],
  ["a*c", "a/c", false],
])("by %j, %s is left out: %s", (rules, path, isIgnored, isFolder = false) => {
  expect(helmIgnore(rules)(path, isFolder)).toBe(isIgnored);
});

test("a rule that helm refuses is refused", () => {
  expect(() => helmIgnore("a/**/b")).toThrow("helm does not support **");
  expect(() => helmIgnore("a[z-a]")).toThrow("unusable rule");
});
