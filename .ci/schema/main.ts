// `npm run schema`: writes the schema of the Pulumi package from the tables of inputs, the types and their docstrings.
import { writeFileSync } from "node:fs";
import { SCHEMA_FILE, schemaText } from "./schemaFile.ts";

writeFileSync(SCHEMA_FILE, schemaText());
