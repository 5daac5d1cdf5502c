// At the end of each build: links the package by its name into its own node_modules, for the examples, which are projects of
// their own.
import { existsSync, symlinkSync } from "node:fs";

const link = "node_modules/pulumi-docs-hosting";
if (!existsSync(link)) symlinkSync("..", link, "junction");
