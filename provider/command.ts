#!/usr/bin/env node
// The program `pulumi-docs-hosting`: `npx pulumi-docs-hosting doctor`.

async function main(): Promise<void> {
  try {
    await import("./adapters/session/nodeVersion.js");
  } catch (error) {
    // the other modules do not load in such a version
    const remedy = "Install it, and let it come first on PATH.";
    process.stderr.write(`${(error as Error).message}. ${remedy}\n`);
    process.exitCode = 1;
    return;
  }
  const { runCommand } = await import("./doctor/command.js");
  const { thisMachine } = await import("./doctor/thisMachine.js");
  const { stdout, stderr, exitCode } = await runCommand(process.argv.slice(2), thisMachine);
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = exitCode;
}

void main();
