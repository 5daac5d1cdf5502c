// Random inputs are the same in each run, unless SEED is set: a random failure says nothing about the change that the test runs
// for.
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env["SEED"] ?? 1) });
