import { SITE_BASE } from "../../../provider/archive/externalAddress.ts";
import type { TextKind } from "../../../provider/archive/embedded.ts";
import { InspectionBudget } from "../../../provider/archive/inspectionBudget.ts";
import { textLoads } from "../../../provider/archive/textLoads.ts";
import { Yielder } from "../../../provider/archive/yielder.ts";

/** The addresses that a text loads. @param characters that the inspection may read */
export async function loadsOf(
  text: string,
  kind: TextKind = "html",
  characters = Infinity,
  { signal } = new AbortController(),
): Promise<string[]> {
  const found: string[] = [];
  const budget = new InspectionBudget(characters, new Yielder(signal));
  await textLoads({ kind, text, base: SITE_BASE }, budget, (address) => found.push(address));
  return found;
}
