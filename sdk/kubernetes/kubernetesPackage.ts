import { RunError } from "@pulumi/pulumi";

// First of all that `./kubernetes` loads: says what is missing, in the place of «Cannot find module».
try {
  require.resolve("@pulumi/kubernetes");
} catch {
  throw new RunError(
    'pulumi-docs-hosting/kubernetes needs the package "@pulumi/kubernetes": run `npm install @pulumi/kubernetes`.',
  );
}
