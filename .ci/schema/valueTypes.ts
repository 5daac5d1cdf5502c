import ts from "typescript";
import type { Declarations, Declared } from "./declarations.ts";
import { withDefault } from "./docstring.ts";
import type { EnumModel, ObjectModel, Property, ValueType } from "./model.ts";

/** Types of the standard library that change only what a program may do with a value. */
const TRANSPARENT = ["Readonly", "Required", "Partial"];

/** Where a value is: an input has one of the known strings, an output may have one that a later release adds. */
export type Direction = "input" | "output";

/** Translates TypeScript's types into those that every language can express, and collects the named ones. */
export class ValueTypes {
  readonly objects: Record<string, ObjectModel> = {};
  readonly enums: Record<string, EnumModel> = {};
  readonly #declarations: Declarations;
  readonly #pending = new Set<string>();

  constructor(declarations: Declarations) {
    this.#declarations = declarations;
  }

  /** @throws Error for a type that has no translation; the message names the property */
  property(declared: Declared, direction: Direction): Property {
    const { name, text, default: value, isOptional, node } = declared;
    try {
      return {
        name,
        type: this.#typeOf(node, direction, text),
        isRequired: !isOptional && !isNullable(node),
        text,
        ...(value !== undefined && { default: value }),
      };
    } catch (error) {
      throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
    }
  }

  /** @param text docstring of the property: it says what a number counts */
  #typeOf(node: ts.TypeNode, direction: Direction, text: string): ValueType {
    if (ts.isParenthesizedTypeNode(node)) return this.#typeOf(node.type, direction, text);
    if (ts.isTypeOperatorNode(node)) return this.#typeOf(node.type, direction, text); // readonly
    if (ts.isArrayTypeNode(node)) {
      return { kind: "list", of: this.#typeOf(node.elementType, direction, text) };
    }
    if (ts.isUnionTypeNode(node)) return this.#typeOfUnion(node, direction, text);
    if (ts.isTypeReferenceNode(node)) return this.#typeOfReference(node, direction, text);
    switch (node.kind) {
      case ts.SyntaxKind.StringKeyword:
        return { kind: "string" };
      case ts.SyntaxKind.BooleanKeyword:
        return { kind: "boolean" };
      case ts.SyntaxKind.NumberKeyword:
        return { kind: numberKind(text) };
      case ts.SyntaxKind.UnknownKeyword:
        return { kind: "any" };
      case ts.SyntaxKind.LiteralType:
        if (isTrue(node)) return { kind: "boolean" };
      // falls through
      default:
        throw new Error(`the type \`${node.getText()}\` has no translation, see .ci/schema/valueTypes.ts`);
    }
  }

  #typeOfUnion(node: ts.UnionTypeNode, direction: Direction, text: string): ValueType {
    const present = presentTypes(node);
    const [first] = present;
    if (first !== undefined && present.length === 1) return this.#typeOf(first, direction, text);
    if (isShorthand(node)) return { kind: "string" };
    if (isSwitch(node)) {
      return { kind: "union", of: present.map((each) => this.#typeOf(each, direction, text)) };
    }
    if (present.every(isText)) throw new Error(`give the type \`${node.getText()}\` a name and a docstring`);
    throw new Error(`give the union \`${node.getText()}\` a name`);
  }

  #typeOfReference(node: ts.TypeReferenceNode, direction: Direction, text: string): ValueType {
    const [first, second] = node.typeArguments ?? [];
    const name = node.typeName.getText();
    if (first !== undefined && TRANSPARENT.includes(name)) return this.#typeOf(first, direction, text);
    if (second !== undefined && name === "Record") {
      return { kind: "map", of: this.#typeOf(second, direction, text) };
    }
    const symbol = this.#declarations.resolve(node.typeName);
    const alias = symbol.declarations?.find(ts.isTypeAliasDeclaration)?.type;
    if (alias === undefined) return this.#object(symbol, () => this.#fields(symbol, direction));
    if (ts.isIndexedAccessTypeNode(alias)) {
      return this.#object(symbol, () => this.#fieldsOfKinds(this.#rowsOf(alias), direction));
    }
    if (!ts.isUnionTypeNode(alias)) return this.#typeOf(alias, direction, text);
    if (isSwitch(alias)) return this.#typeOfUnion(alias, direction, text);
    if (presentTypes(alias).every(isText)) return this.#enum(symbol, alias, direction);
    return this.#object(symbol, () => this.#fieldsOfKinds(presentTypes(alias), direction));
  }

  #fields(symbol: ts.Symbol, direction: Direction): Property[] {
    return this.#declarations.propertiesOf(symbol).map((field) => this.property(field, direction));
  }

  #object(symbol: ts.Symbol, fields: () => Property[]): ValueType {
    const name = publicName(symbol.name);
    if (!this.#pending.has(name)) {
      this.#pending.add(name); // before its fields, which may lead here again
      this.objects[name] = { text: withDefault(this.#declarations.docstring(symbol)), fields: fields() };
    }
    return { kind: "object", name };
  }

  #enum(symbol: ts.Symbol, node: ts.UnionTypeNode, direction: Direction): ValueType {
    if (direction === "output") return { kind: "string" };
    const name = publicName(symbol.name);
    const values = node.types.map((each) => textOf(each));
    this.enums[name] = { text: withDefault(this.#declarations.docstring(symbol)), values };
    return { kind: "enum", name };
  }

  /** The types of all properties of an interface: `InputsByKind[DestinationKind]`. */
  #rowsOf({ objectType }: ts.IndexedAccessTypeNode): ts.TypeNode[] {
    const table = this.#declarations.resolve(nameOf(objectType));
    return this.#declarations.propertiesOf(table).map(({ node }) => node);
  }

  /**
   * The fields of a union of objects, as one object: few languages have such unions. Each field says which kind it belongs to,
   * by the field that selects this kind.
   */
  #fieldsOfKinds(nodes: readonly ts.TypeNode[], direction: Direction): Property[] {
    const kinds = nodes.map((node) => this.#fields(this.#declarations.resolve(nameOf(node)), direction));
    const names = [...new Set(kinds.flat().map(({ name }) => name))];
    return names.map((name) => {
      const having = kinds.flatMap((fields) => {
        const field = fields.find((each) => each.name === name);
        return field ? [{ field, selector: selectorOf(fields, kinds) }] : [];
      });
      const [{ field: first } = { field: undefined }] = having;
      if (first === undefined) throw new Error(`no kind has the field ${name}`);
      const texts = having.map(({ field }) => withDefault(field));
      const isOfAll = having.length === kinds.length && new Set(texts).size === 1;
      const isSelector = having.some(({ selector }) => selector === name);
      return {
        name,
        type: first.type,
        isRequired: having.length === kinds.length && having.every(({ field }) => field.isRequired),
        ...(isOfAll || isSelector ? own(first) : { text: having.map(ofKind).join(" ") }),
      };
    });
  }
}

function own({ text, default: value }: Property): Pick<Property, "text" | "default"> {
  return { text, ...(value !== undefined && { default: value }) };
}

function ofKind({ field, selector }: { field: Property; selector: string }): string {
  return `With \`${selector}\`: ${withDefault(field)}`;
}

/** The required field that selects a kind: no other kind has it, or no other kind requires it. */
function selectorOf(fields: readonly Property[], kinds: readonly (readonly Property[])[]): string {
  const others = kinds.filter((each) => each !== fields).flat();
  const required = fields.filter(({ isRequired }) => isRequired);
  const alone =
    required.find(({ name }) => !others.some((other) => other.name === name)) ??
    required.find(({ name }) => !others.some((other) => other.name === name && other.isRequired));
  if (alone === undefined) throw new Error("no field selects this kind");
  return alone.name;
}

/** A name of a type without what says where it is used: `DestinationInputs` is a `Destination`. */
function publicName(name: string): string {
  return name.replace(/Inputs$/, "");
}

/** Whether a string may stand for an object: other languages take the string. */
export function isShorthand(node: ts.TypeNode): boolean {
  return ts.isUnionTypeNode(node) && node.types.some(({ kind }) => kind === ts.SyntaxKind.StringKeyword);
}

/** Whether `true`, or any boolean, may stand for an object with options. */
function isSwitch(node: ts.UnionTypeNode): boolean {
  const isBoolean = (each: ts.TypeNode): boolean =>
    each.kind === ts.SyntaxKind.BooleanKeyword || isTrue(each);
  return presentTypes(node).length > 1 && node.types.some(isBoolean);
}

function isTrue(node: ts.TypeNode): boolean {
  return ts.isLiteralTypeNode(node) && node.literal.kind === ts.SyntaxKind.TrueKeyword;
}

function isNullable(node: ts.TypeNode): boolean {
  return ts.isUnionTypeNode(node) && presentTypes(node).length < node.types.length;
}

/** The members of a union without null and undefined. */
function presentTypes(node: ts.UnionTypeNode): ts.TypeNode[] {
  return node.types.filter(
    (each) =>
      each.kind !== ts.SyntaxKind.UndefinedKeyword &&
      !(ts.isLiteralTypeNode(each) && each.literal.kind === ts.SyntaxKind.NullKeyword),
  );
}

function isText(node: ts.TypeNode): boolean {
  return ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal);
}

function textOf(node: ts.TypeNode): string {
  return ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal) ? node.literal.text : "";
}

function nameOf(node: ts.TypeNode): ts.EntityName {
  if (ts.isTypeReferenceNode(node)) return node.typeName;
  throw new Error(`the member \`${node.getText()}\` of a union is no named type`);
}

/**
 * A count is an integer. A size in bytes is not: integers have 32 bits in Java and C#.
 *
 * @throws Error for a docstring that says neither
 */
function numberKind(text: string): "integer" | "number" {
  if (text.startsWith("Number of ")) return "integer";
  if (/\bbytes\b/.test(text)) return "number";
  throw new Error('a number\'s docstring begins with "Number of", or says that it is in bytes');
}
