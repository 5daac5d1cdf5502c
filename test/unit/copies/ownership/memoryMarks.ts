import type { Mark, Marks } from "../../../../provider/copies/ownership/marks.ts";
import { markText, type Owner } from "../../../../provider/copies/ownership/owner.ts";

interface Written {
  text: string | undefined;
  isLeaving: boolean;
  writtenAt: number;
}

/** Marks in memory, at a place that two runs share. Each request may be held back before it is carried out. */
export class MemoryMarks implements Marks {
  /** By item, then by owner. */
  readonly written = new Map<string, Map<string, Written>>();
  /** How many texts were read. */
  reads = 0;
  /** Whether the place lists its marks. */
  isListed = true;
  #writes = 0;

  /** These marks, as one run sees them. @param turn called before each request */
  as(turn: (request: string) => Promise<void>): Marks {
    const held =
      <Arguments extends unknown[], Result>(name: string, run: (...given: Arguments) => Promise<Result>) =>
      async (...given: Arguments): Promise<Result> => {
        await turn(name);
        return run(...given);
      };
    return {
      list: held("list", (item) => this.list(item)),
      read: held("read", (item, owner) => this.read(item, owner)),
      write: held("write", (item, owner) => this.write(item, owner)),
      leave: held("leave", (item, owner) => this.leave(item, owner)),
      stay: held("stay", (item, owner) => this.stay(item, owner)),
      remove: held("remove", (item, owner) => this.remove(item, owner)),
      all: held("all", () => this.all()),
      nameOf: (item, owner) => this.nameOf(item, owner),
    };
  }

  /** Puts a mark there, with any text. */
  put(item: string, owner: string, { text, isLeaving = false }: Partial<Written> = {}): void {
    const owners = this.written.get(item) ?? new Map<string, Written>();
    this.written.set(item, owners.set(owner, { text, isLeaving, writtenAt: ++this.#writes }));
  }

  list(item: string): Promise<readonly Mark[] | undefined> {
    return Promise.resolve(this.isListed ? this.#marksOf(item) : undefined);
  }

  read(item: string, owner: string): Promise<string | undefined> {
    this.reads++;
    return Promise.resolve(this.written.get(item)?.get(owner)?.text);
  }

  write(item: string, owner: Owner): Promise<void> {
    this.put(item, owner.id, { text: markText(owner) });
    return Promise.resolve();
  }

  leave(item: string, owner: Owner): Promise<void> {
    const text = this.written.get(item)?.get(owner.id)?.text;
    this.put(item, owner.id, { text, isLeaving: true });
    return Promise.resolve();
  }

  stay(item: string, owner: string): Promise<void> {
    const mark = this.written.get(item)?.get(owner);
    if (mark) mark.isLeaving = false;
    return Promise.resolve();
  }

  remove(item: string, owner: string): Promise<void> {
    this.written.get(item)?.delete(owner);
    if (this.written.get(item)?.size === 0) this.written.delete(item);
    return Promise.resolve();
  }

  all(): Promise<ReadonlyMap<string, readonly Mark[]>> {
    const items = this.isListed ? [...this.written.keys()] : [];
    return Promise.resolve(new Map(items.map((item) => [item, this.#marksOf(item)])));
  }

  nameOf(item: string, owner: string): string {
    return `marks/${item}/${owner}`;
  }

  #marksOf(item: string): Mark[] {
    return [...(this.written.get(item) ?? [])].map(([owner, { isLeaving, writtenAt }]) => ({
      ...{ owner, isLeaving, writtenAt },
    }));
  }
}
