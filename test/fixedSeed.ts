// Random inputs are the same in each run, unless SEED says others: a test that fails now and then tells nothing about the
// change that it is run for.
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env["SEED"] ?? 1) });
