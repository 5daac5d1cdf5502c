import { SITE_BASE } from "../../../../provider/site/inspection/externalAddress.ts";
import type { TextKind } from "../../../../provider/site/inspection/embedded.ts";
import { InspectionBudget } from "../../../../provider/site/inspection/inspectionBudget.ts";
import { textLoads } from "../../../../provider/site/inspection/textLoads.ts";
import { Yielder } from "../../../../provider/site/archive/yielder.ts";

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
