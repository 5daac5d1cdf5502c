import { dirname, join } from "node:path";
import ts from "typescript";
import { type Docstring, docstringOf } from "./docstring.ts";

/** A property of an interface, as its author declared it. */
export interface Declared extends Docstring {
  readonly name: string;
  readonly isOptional: boolean;
  readonly node: ts.TypeNode;
}

/** The types of some source files. Nothing is checked: the files may be incomplete. */
export class Declarations {
  readonly checker: ts.TypeChecker;
  readonly #program: ts.Program;
  readonly #root: string;

  /**
   * @param files paths below the root
   * @param options `alone`: the files that they import are not read
   */
  constructor(root: string, files: readonly string[], { alone = false }: { alone?: boolean } = {}) {
    this.#root = root;
    const options: ts.CompilerOptions = {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.NodeNext,
      lib: ["lib.es5.d.ts"], // `Omit` and the like
      types: [],
      strict: true,
      ...(alone && { noResolve: true, noLib: true }),
    };
    this.#program = ts.createProgram({
      rootNames: files.map((file) => join(root, file)),
      options,
      host: { ...ts.createCompilerHost(options), resolveModuleNameLiterals: onlyOwn },
    });
    this.checker = this.#program.getTypeChecker();
  }

  /** What a file exports under a name. */
  exported(file: string, name: string): ts.Symbol {
    const source = this.#program.getSourceFile(join(this.#root, file));
    const module = source && this.checker.getSymbolAtLocation(source);
    const symbol = module && this.checker.getExportsOfModule(module).find((each) => each.name === name);
    if (symbol === undefined) throw new Error(`${file} exports no ${name}`);
    return symbol;
  }

  /** The properties of an interface or of a type alias, in the order of their declaration. */
  propertiesOf(symbol: ts.Symbol): Declared[] {
    return this.checker
      .getDeclaredTypeOfSymbol(symbol)
      .getProperties()
      .map((property) => {
        const declaration = property.declarations?.find(ts.isPropertySignature);
        if (declaration?.type === undefined) throw new Error(`${symbol.name}.${property.name} has no type`);
        return {
          ...docstringOf(property, this.checker),
          name: property.name,
          isOptional: (property.flags & ts.SymbolFlags.Optional) !== 0,
          node: declaration.type,
        };
      });
  }

  /** The properties that a class declares itself. An output may be absent if its type says so. */
  membersOf(symbol: ts.Symbol): Declared[] {
    const members = symbol.declarations?.find(ts.isClassDeclaration)?.members ?? [];
    return [...members].flatMap((member) => {
      if (!ts.isPropertyDeclaration(member) || member.type === undefined) return [];
      const property = this.checker.getSymbolAtLocation(member.name);
      if (property === undefined) return [];
      const isOptional = /\bundefined\b/.test(member.type.getText());
      return [{ ...docstringOf(property, this.checker), name: property.name, isOptional, node: member.type }];
    });
  }

  /** What a name stands for, also where it is imported. */
  resolve(name: ts.EntityName): ts.Symbol {
    const symbol = this.checker.getSymbolAtLocation(name);
    if (symbol === undefined) throw new Error(`${name.getText()} is not declared`);
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }

  /** The docstring of a type. */
  docstring(symbol: ts.Symbol): Docstring {
    return docstringOf(symbol, this.checker);
  }
}

/** Resolves imports of the repository's own files: no type of a package is part of an input or output. */
const onlyOwn: NonNullable<ts.CompilerHost["resolveModuleNameLiterals"]> = (literals, importer) =>
  literals.map(({ text }) => ({
    resolvedModule: text.startsWith(".")
      ? {
          resolvedFileName: `${join(dirname(importer), text)}.ts`,
          extension: ts.Extension.Ts,
          isExternalLibraryImport: false,
        }
      : undefined,
  }));
