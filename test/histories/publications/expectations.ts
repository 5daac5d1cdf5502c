import { DocsHostingError } from "../../../provider/base/runtime/messages/errors.ts";
import { UnfinishedError } from "../../../provider/resource/lifeCycle.ts";
import type { Content } from "./contents.ts";
import type { Place } from "./place.ts";
import {
  copiesOf,
  destinationOf,
  newestCopy,
  type Outcome,
  type Resource,
  resourceAt,
  type Run,
} from "./resource.ts";
import type { Story } from "./story.ts";

/** How a run may fail that met another one. */
const MET_ANOTHER = /was removed by somebody else while|was written by somebody else at the same time/;
/** How a run is refused beside a removal that does not end: for as long as that may go on elsewhere. Later runs are not. */
const MET_REMOVAL = / is being removed by urn:\S+ .*, for more than /;
/** How a run fails at a place of another resource. */
const REFUSED = / belongs to urn:| names an image that this resource did not publish/;

/** What each resource may rely on after its runs, and those of others; and whether its place has it. */
export class Expectations {
  /** The results of runs, in a few words each. */
  readonly outcomes: string[] = [];
  readonly #place: Place;
  readonly #contents: readonly Content[];
  readonly #resources: readonly Resource[];
  readonly #story: Story;

  constructor(place: Place, contents: readonly Content[], resources: readonly Resource[], story: Story) {
    this.#place = place;
    this.#contents = contents;
    this.#resources = resources;
    this.#story = story;
  }

  /** @param stopped the URNs of other resources whose run of the same time was killed or failed */
  note(
    resource: Resource,
    { action, kill, fault }: Run,
    outcome: Outcome,
    isTogether: boolean,
    stopped: readonly string[],
  ): void {
    const { index } = resource;
    const { result, error, lines, hadFault } = outcome;
    const name = `${action.kind} ${JSON.stringify({ ...action, kind: undefined, kill, fault })}`;
    this.outcomes.push(
      `${action.kind} ${isTogether ? "together " : ""}${result}${hadFault ? ` in spite of ${String(fault?.kind)}` : ""}`,
    );
    this.#story.add(
      `- ${index}: ${name}${isTogether ? " (together)" : ""}: ${result}${error === undefined ? "" : ` ${String(error)}`}`,
      ...lines.map((line) => `    | ${line}`),
      `    copies: ${JSON.stringify(resource.state?.bookkeeping.copies.map(({ copy }) => copy.uri))} ${resource.state?.bookkeeping.drifted ?? ""}`,
    );
    const isExplained = error instanceof DocsHostingError || error instanceof UnfinishedError;
    if (hadFault && result === "failed") {
      if (!isExplained) {
        this.#story.fail(`${index} fails without an explanation: ${String(error)}\n${error?.stack ?? ""}`);
      }
    } else if (result === "failed" && REFUSED.test(String(error))) {
      const owner = this.#place.owner?.(destinationOf(this.#place, resource));
      if (!isTogether && owner !== undefined && owner.owner === resource.state?.bookkeeping.owner) {
        this.#story.fail(`${index} is refused at its own place: ${String(error)}`);
      }
      Object.assign(resource, { isSettled: false, isTaken: resource.state !== undefined });
      return;
    }
    const text = String(error);
    const metRemoval = MET_REMOVAL.test(text) && stopped.some((urn) => text.includes(urn));
    const hasMet = isTogether && (MET_ANOTHER.test(text) || metRemoval);
    if (result === "failed" && !hadFault && !hasMet) {
      this.#story.fail(`${index} fails: ${String(error)}\n${error?.stack ?? ""}`);
    }
    if (result === "green") {
      if (action.kind === "refresh") Object.assign(resource, { needsRefresh: false, isUntouched: false });
      else if (action.kind === "destroy") {
        Object.assign(resource, { isSettled: false, needsRefresh: false, isTaken: false });
      } else if (!resource.needsRefresh && !resource.isUntouched) resource.isSettled = true;
    } else if (action.kind !== "refresh") {
      // it may have taken the place over, and nobody has heard of it
      for (const each of this.#resources) {
        if (
          each !== resource &&
          this.#place.owner?.(destinationOf(this.#place, each))?.urn === resource.urn
        ) {
          each.isTaken = true;
        }
      }
      Object.assign(resource, { isSettled: false, isUntouched: true, wasKilled: true });
      if (action.kind === "replace" || action.kind === "move") resource.hasKilledReplacement = true;
      if (action.kind === "destroy" || resource.pending.length > 0) resource.needsRefresh = true;
    }
  }

  /** Who has lost the pointer, and which run said so. */
  noteTaken(outcomes: readonly [Run, Outcome][]): void {
    for (const [{ resource, action }, { result }] of outcomes) {
      const own = this.#resourceAt(resource);
      const newest = newestCopy(own);
      if (result !== "green" || action.kind === "refresh" || !newest) continue;
      if (this.#place.owner?.(destinationOf(this.#place, own))?.owner === own.state?.bookkeeping.owner) {
        own.isTaken = false;
      }
      if (
        !this.#place.owner &&
        this.#place.pointer(destinationOf(this.#place, own)) === this.#place.nameOf(newest)
      ) {
        Object.assign(own, {
          isTaken: false,
          isIncomplete: false,
          ...(outcomes.length === 1 && { hasRaced: false }),
        });
      }
    }
    for (const [{ resource }, { lines }] of outcomes) {
      // a removal names the owner of a place, who loses nothing
      const text = lines
        .filter(
          (line) => /is taken over/.test(line) || !/^nothing (?:more )?is removed from|belongs to/.test(line),
        )
        .join("\n");
      for (const other of this.#resources) {
        if (!text.includes(other.urn)) continue;
        other.isTaken = true;
        other.isIncomplete ||= lines.some((line) => /is now without/.test(line) && line.includes(other.urn));
        this.#resourceAt(resource).isTaken ||= outcomes.some(
          ([run]) => this.#resourceAt(run.resource) === other,
        );
      }
    }
  }

  /** Of two runs that publish at once, the one that moved the pointer first may not know of the other. */
  noteRace(runs: readonly Run[]): void {
    const publishing = runs
      .filter(({ action }) => action.kind !== "refresh" && action.kind !== "destroy")
      .map(({ resource }) => this.#resourceAt(resource));
    const keys = publishing.map((each) => this.#place.pointerKey(destinationOf(this.#place, each)));
    for (const [index, each] of publishing.entries()) {
      const newest = newestCopy(each);
      const isShared = keys.some((key, other) => other !== index && key === keys[index]);
      if (isShared) each.hasRaced = true;
      if (!isShared || !newest) continue;
      if (this.#place.pointer(destinationOf(this.#place, each)) !== this.#place.nameOf(newest)) {
        each.isTaken = true;
      }
    }
  }

  /** What every state says is true. */
  check(): void {
    for (const resource of this.#resources) this.#checkResource(resource);
  }

  #checkResource(resource: Resource): void {
    const newest = newestCopy(resource);
    const owner = resource.state?.bookkeeping.owner;
    if (!resource.isSettled || !newest || owner === undefined) return;
    const destination = destinationOf(this.#place, resource);
    if (this.#place.owner && resource.isTaken) return; // the owner has what is there
    const content = this.#contents[resource.content];
    // a killed replacement may have taken the place over, which the next one to write finds by the records of its machine
    const marked = this.#place.owner?.(destination);
    const isReplacement = resource.hasKilledReplacement && marked?.urn === resource.urn;
    const missing =
      content && this.#place.missing(newest, content, isReplacement ? marked.owner : owner, destination);
    if (missing !== undefined) this.#story.fail(`${resource.index} has lost its copy: ${missing}`);
    const pointer = this.#place.pointer(destination);
    if (pointer === "no pointer") return;
    if (!resource.isTaken && pointer !== this.#place.nameOf(newest)) {
      this.#story.fail(`${resource.index} has lost its pointer to ${String(pointer)}, and nobody said it`);
    }
    // given to the next owner when its owner leaves. A tag that a program no longer names stays at its copy
    const isQuiet = (each: Resource): boolean =>
      each.isSettled || !each.isUsed || (each.state === undefined && !each.wasKilled);
    const isNamed = this.#resources.some((each) => each.hasRaced && each.isIncomplete);
    if (this.#resources.every(isQuiet) && !isNamed) {
      const copies = this.#resources.flatMap((each) => copiesOf(each));
      const names = copies.map((copy) => this.#place.nameOf(copy));
      if (pointer === undefined || !names.includes(pointer)) {
        this.#story.fail(
          `the pointer of ${resource.index} leads to ${String(pointer)}: to no copy that anybody has`,
        );
      }
    }
  }

  #resourceAt(index: number): Resource {
    return resourceAt(this.#resources, index);
  }
}
