import { explained } from "../../runtime/messages/explainedError";
import { isOwnerId } from "../ownership/owner";
import type { RunRecord, RunRecords } from "./runRecords";
import type { PublicationWork, Published } from "./publication";

/**
 * Makes this resource the owner of what a killed run published under its URN as another owner: it writes its own marks, then takes
 * that owner's away. The killed run may have been that of a resource which this one replaces: its items stay when it is deleted.
 * A failure is a warning: items with marks of both owners stay.
 *
 * @throws the signal's reason
 */
export async function takeOver<T extends Published>(
  work: PublicationWork<T>,
  records: RunRecords<T>,
): Promise<void> {
  const { kind, context, inputs } = work;
  const record = records.findAll();
  const former = [record?.owner, ...(record?.formerOwners ?? [])].filter(isOwnerId);
  const others = [...new Set(former)].filter((id) => id !== context.owner.id);
  if (!record || others.length === 0) return;
  // a run that is killed from here on leaves marks of both
  records.saveTakeOver(record, context.owner, others);
  try {
    await moveMarks(work, record, others);
    records.saveTakeOver(record, context.owner, []);
  } catch (error) {
    context.signal.throwIfAborted();
    const next = `The ${kind.terms.items} of that run may stay when this resource is destroyed`;
    const { message } = explained(error, kind.destinationName(inputs), next);
    context.reporter.warn(`the marks of an interrupted run could not be taken over: ${message}`);
  }
}

async function moveMarks<T extends Published>(
  work: PublicationWork<T>,
  { items }: RunRecord<T>,
  others: readonly string[],
): Promise<void> {
  await work.kind.mark(work.context, work.inputs, items);
  await releaseAs(others, work, items);
}

/** Takes the marks of other owners away whose runs were killed, and the items that nobody else has. */
export async function releaseAs<T extends Published>(
  owners: readonly string[],
  { kind, context, inputs }: PublicationWork<T>,
  items: readonly T["item"][],
): Promise<void> {
  const { owner, reporter } = context;
  // that the items also belong to this resource is no news
  const quiet = { ...reporter, info: (line: string): void => reporter.debug(line) };
  for (const id of owners) {
    await kind.remove(
      { ...context, reporter: quiet, owner: { id, urn: owner.urn, hasMarks: true } },
      inputs,
      items,
      [],
    );
  }
}
