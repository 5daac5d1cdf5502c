import { expect, test } from "vitest";
import { changedFiles } from "../../mutations/changedLines.ts";

test("the changed lines of each file are read from a difference, as they are now; a removal has none", () => {
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
+d
diff --git a/provider/gone.ts b/provider/gone.ts
deleted file mode 100644
--- a/provider/gone.ts
+++ /dev/null
@@ -1 +0,0 @@
-+++ b/provider/one.ts
diff --git a/provider/old.ts b/provider/runtime/files/moved.ts
similarity index 100%
rename from provider/old.ts
rename to provider/runtime/files/moved.ts
diff --git a/provider/two.ts b/provider/runtime/files/two.ts
similarity index 90%
--- a/provider/two.ts
+++ b/provider/runtime/files/two.ts
@@ -1 +1,2 @@
-import "./a"
+import "../a"
+import "./b"
`;
  expect(changedFiles(diff)).toEqual([
    ["provider/one.ts", ["3-3", "11-13", "40-79"]],
    ["provider/runtime/files/two.ts", ["1-2"]],
  ]);
});
