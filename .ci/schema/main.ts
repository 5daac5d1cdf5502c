// `npm run schema`: writes the schema of the Pulumi package and the tables of the reference, from the tables of inputs, the types and
// their docstrings.
import { writeFileSync } from "node:fs";
import { readModel, referencePages, SCHEMA_FILE, schemaText } from "./schemaFile.ts";

const model = readModel();
writeFileSync(SCHEMA_FILE, schemaText(model));
for (const [file, text] of await referencePages(model)) writeFileSync(file, text);
