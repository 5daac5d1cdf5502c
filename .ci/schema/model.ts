import type { ChangeEffect } from "../../provider/resource/inputTable.ts";

/** A type that every language of Pulumi can express. */
export type ValueType =
  | { readonly kind: "string" | "boolean" | "integer" | "number" | "any" }
  | { readonly kind: "list" | "map"; readonly of: ValueType }
  /** A value of one of several types: of a boolean and an object. */
  | { readonly kind: "union"; readonly of: readonly ValueType[] }
  /** A type of {@link PackageModel.objects} or {@link PackageModel.enums}. */
  | { readonly kind: "object" | "enum"; readonly name: string };

/** An input, an output, or a field of an object. */
export interface Property {
  readonly name: string;
  /** The name in programs in TypeScript, where it differs. */
  readonly publicName?: string;
  readonly type: ValueType;
  readonly isRequired: boolean;
  /** Markdown, without the default. */
  readonly text: string;
  /** The default, in words. Absent if there is none. */
  readonly default?: string;
  /** The effect of a change. Only inputs of a resource and fields of destinations have one. */
  readonly effect?: ChangeEffect;
  readonly isSecret?: boolean;
}

/** An object with known fields. */
export interface ObjectModel {
  readonly text: string;
  readonly fields: readonly Property[];
}

/** A string with known values. */
export interface EnumModel {
  readonly text: string;
  readonly values: readonly string[];
}

export interface ResourceModel {
  readonly text: string;
  readonly inputs: readonly Property[];
  readonly outputs: readonly Property[];
}

export type FunctionModel = ResourceModel;

/** All that a program in any language can give to the package and get from it. */
export interface PackageModel {
  readonly resources: Readonly<Record<string, ResourceModel>>;
  readonly functions: Readonly<Record<string, FunctionModel>>;
  readonly configuration: readonly Property[];
  readonly objects: Readonly<Record<string, ObjectModel>>;
  readonly enums: Readonly<Record<string, EnumModel>>;
}
