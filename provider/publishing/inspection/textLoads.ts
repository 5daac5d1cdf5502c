import { cssLoads } from "./cssLoads";
import { embeddedIn, type InspectedText, jsonAddresses, withEntities } from "./embedded";
import { externalAddress } from "./externalAddress";
import { type InspectionBudget, NotInspected } from "./inspectionBudget";
import { type LoadSink, MarkupLoads } from "./markupLoads";
import { importMapEntries, isAddress, type ModuleSink, staticImports } from "./siteModules";

/** Maximum size of one page, SVG file, style sheet or module, in bytes: a book on one page has some megabytes. */
export const MAX_BYTES: number = 16 * 1_024 * 1_024;

/** The encoding of a byte order mark other than that of UTF-8. */
export function markedEncoding([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

/** Maximum nesting of documents: a page in an attribute of a page, a style in an address of a style. */
const MAX_NESTED = 4;

/** How many characters the tokenizer for markup reads at once. */
const SLICE = 64 * 1_024;

/**
 * Finds the external loads of a text, and of the styles and documents within it.
 *
 * @param found gets every external address, once per occurrence
 * @param modules receives the modules of the site that it loads
 * @throws NotInspected; the signal's reason
 */
export async function textLoads(
  { kind, text, base }: InspectedText,
  budget: InspectionBudget,
  found: (address: string) => void,
  modules?: ModuleSink,
  depth = 0,
): Promise<void> {
  if (depth > MAX_NESTED) throw new NotInspected(`more than ${MAX_NESTED} nested documents`);
  const within: InspectedText[] = [];
  const load: LoadSink["load"] = (address, below, isFrame) => {
    const outside = externalAddress(address, below);
    if (outside !== undefined) return found(outside);
    const embedded = embeddedIn(address);
    if (embedded && (embedded.kind === "css" || (isFrame && embedded.kind !== "module"))) {
      within.push(embedded);
    }
  };
  const module: LoadSink["module"] = (address, below) => {
    const embedded = embeddedIn(address);
    if (embedded?.kind === "module") within.push(embedded);
    else if (externalAddress(address, below) === undefined && !/^[a-z][a-z0-9+.-]*:/i.test(address)) {
      modules?.module(address);
    }
  };
  const inspectWithin = async (): Promise<void> => {
    for (const each of within.splice(0)) await textLoads(each, budget, found, modules, depth + 1);
  };
  if (kind === "css") {
    await cssLoads(text, budget, (address) => load(address, base, false));
  } else if (kind === "html" || kind === "xml") {
    const markup = kind === "xml" ? withEntities(text, MAX_BYTES) : text;
    if (markup === undefined) throw new NotInspected("nested entities");
    const loads = new MarkupLoads(
      { load, module, within: (each) => within.push(each) },
      base,
      kind === "xml",
    );
    for (let from = 0; from < markup.length; from += SLICE) {
      loads.write(markup.slice(from, from + SLICE));
      await budget.spend(Math.min(SLICE, markup.length - from));
      await inspectWithin();
    }
    loads.end();
  } else if (kind === "module") {
    await budget.spend(text.length);
    for (const specifier of staticImports(text)) {
      if (!isAddress(specifier)) modules?.named(specifier);
      else {
        load(specifier, base, false);
        module(specifier, base);
      }
    }
  } else {
    await budget.spend(text.length);
    if (kind === "importmap") {
      for (const [name, address] of importMapEntries(text)) modules?.translation(name, address);
    }
    for (const address of jsonAddresses(text, kind)) {
      await budget.spend(address.length);
      load(address, base, false);
    }
  }
  await inspectWithin();
}
