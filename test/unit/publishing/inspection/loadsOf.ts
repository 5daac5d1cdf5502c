import { Yielder } from "../../../../provider/publishing/archives/yielder.ts";
import type { TextKind } from "../../../../provider/publishing/inspection/embedded.ts";
import { SITE_BASE } from "../../../../provider/publishing/inspection/externalAddress.ts";
import { InspectionBudget } from "../../../../provider/publishing/inspection/inspectionBudget.ts";
import { textLoads } from "../../../../provider/publishing/inspection/textLoads.ts";

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
