import { Declarations } from "./declarations.ts";
import { withDefault } from "./docstring.ts";
import type { FunctionModel, ObjectModel, PackageModel, Property, ResourceModel } from "./model.ts";
import { inputsOf, outputsOf, type ResourceTables } from "./resourceModel.ts";
import { type Direction, ValueTypes } from "./valueTypes.ts";

/** What the generator takes from the code, besides types and docstrings. */
export interface Tables {
  readonly resources: Readonly<Record<string, ResourceTables>>;
  /** The fields of each kind of destination. */
  readonly destinations: Readonly<Record<string, Readonly<Record<string, { readonly change: string }>>>>;
}

const SECRET_SETTINGS = ["adminApiKey"];

type Export = readonly [file: string, name: string];

/** Each function: where its docstring is, and the types of its arguments and its result. */
const FUNCTIONS: Readonly<Record<string, Record<"docstring" | "inputs" | "outputs", Export>>> = {
  getAgentJob: {
    docstring: ["sdk/getAgentJob.ts", "getAgentJob"],
    inputs: ["provider/agentJob/inputs.ts", "AgentJobLookupInputs"],
    outputs: ["provider/service/agentJob.ts", "AgentJob"],
  },
  installationFeatures: {
    docstring: ["provider/installation/installationFeatures.ts", "installationFeatures"],
    inputs: ["provider/installation/installationFeatures.ts", "InstallationFeaturesInputs"],
    outputs: ["provider/installation/installationFeatures.ts", "InstallationFeaturesOutputs"],
  },
  installationValues: {
    docstring: ["provider/installation/installationValues.ts", "installationValues"],
    inputs: ["provider/installation/installationValues.ts", "InstallationInputs"],
    outputs: ["provider/installation/installationValues.ts", "InstallationOutputs"],
  },
};

const CONFIGURATION: Export = ["provider/service/configuration.ts", "Configuration"];

/** The area of a resource that is no part of the mission. */
const AREAS: Readonly<Record<string, string>> = { bundleCopy: "copies/", airGapKit: "kits/" };

/** Where every resource has its parts. */
const PARTS = (name: string) => {
  const file = name.charAt(0).toLowerCase() + name.slice(1);
  const folder = `provider/${AREAS[file] ?? ""}${file}`;
  return {
    inputs: [`${folder}/inputs.ts`, `${name}Inputs`],
    outputs: [`${folder}/outputs.ts`, `${name}Outputs`],
    class: [`sdk/${file}.ts`, name],
  } as const satisfies Record<string, Export>;
};

/** Reads what the package offers from its types, docstrings and tables. */
export function packageModel(root: string, { resources, destinations }: Tables): PackageModel {
  const places = Object.keys(resources).map(PARTS);
  const functions = Object.values(FUNCTIONS);
  const declarations = new Declarations(
    root,
    [
      CONFIGURATION,
      ...places.flatMap(({ inputs, outputs }) => [inputs, outputs]),
      ...functions.flatMap(({ inputs, outputs }) => [inputs, outputs]),
    ].map(([file]) => file),
  );
  const documents = [...places.map((place) => place.class), ...functions.map(({ docstring }) => docstring)];
  // alone: Pulumi's types take seconds to read
  const documentation = new Declarations(
    root,
    documents.map(([file]) => file),
    { alone: true },
  );
  const types = new ValueTypes(declarations);
  const textOf = (place: Export): string =>
    withDefault(documentation.docstring(documentation.exported(...place)));
  const declared = (place: Export) => declarations.propertiesOf(declarations.exported(...place));
  const properties = (place: Export, direction: Direction): Property[] =>
    declared(place).map((each) => types.property(each, direction));

  const resourceOf = (name: string, tables: ResourceTables): ResourceModel => {
    const place = PARTS(name);
    const parts = {
      tables,
      inputs: declared(place.inputs),
      outputs: declared(place.outputs),
      members: documentation.membersOf(documentation.exported(...place.class)),
    };
    const inputs = inputsOf(parts, types);
    return { text: textOf(place.class), inputs, outputs: outputsOf(parts, inputs, types) };
  };
  const functionOf = ({ docstring, inputs, outputs }: (typeof functions)[number]): FunctionModel => ({
    text: textOf(docstring),
    inputs: properties(inputs, "input"),
    outputs: properties(outputs, "output"),
  });
  return {
    resources: mapEntries(resources, resourceOf),
    functions: mapEntries(FUNCTIONS, (_, place) => functionOf(place)),
    configuration: properties(CONFIGURATION, "input").map((setting) =>
      SECRET_SETTINGS.includes(setting.name) ? { ...setting, isSecret: true } : setting,
    ),
    objects: mapEntries(types.objects, (name, object) =>
      name === "Destination" ? withEffects(object, destinations) : object,
    ),
    enums: types.enums,
  };
}

/** Notes which fields of a destination replace the resource. */
function withEffects(destination: ObjectModel, kinds: Tables["destinations"]): ObjectModel {
  const replaces = (field: string): boolean =>
    Object.values(kinds).some((fields) => fields[field]?.change === "replaces");
  const fields = destination.fields.map((field): Property =>
    replaces(field.name) ? { ...field, effect: "replaces" } : field,
  );
  return { ...destination, fields };
}

function mapEntries<From, To>(
  record: Readonly<Record<string, From>>,
  map: (name: string, value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(name, value)]));
}
