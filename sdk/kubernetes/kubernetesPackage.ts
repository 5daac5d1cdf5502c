import { RunError } from "@pulumi/pulumi";

// `./kubernetes` loads this module first, to name the missing package instead of «Cannot find module».
try {
  require.resolve("@pulumi/kubernetes");
} catch {
  throw new RunError(
    'pulumi-docs-hosting/kubernetes needs the package "@pulumi/kubernetes": run `npm install @pulumi/kubernetes`.',
  );
}
