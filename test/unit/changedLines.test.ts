import { expect, test } from "vitest";
import { changedLines } from "../mutations/changedLines.ts";

test("of a difference its changed lines are read, as they are now; what was only removed has none", () => {
  const diff = `diff --git a/provider/one.ts b/provider/one.ts
index 111..222 100644
--- a/provider/one.ts
+++ b/provider/one.ts
@@ -3 +3 @@ export function one() {
-old
+new
@@ -10,0 +11,3 @@
+a
+@@ -1 +1 @@
+c
@@ -20,2 +23,0 @@
-gone
-gone, too
@@ -0,0 +40,40 @@
+d`;
  expect(changedLines(diff)).toEqual(["3-3", "11-13", "40-79"]);
});
