import type { Bundle } from "../inspection/bundle";
import type { PlaceOwner } from "../ownership/placeOwner";
import type {
  Copy,
  CopyComparison,
  CopyContent,
  CopyLink,
  DestinationContext,
  Draft,
  DraftingDestination,
  FoundCopy,
  Layout,
  WantedFiles,
} from "./destination";
import { publishCopy } from "./publishCopy";

/** Runs an operation at the place of the copies: it is open as long as that takes. */
type AtPlace<Place> = <T>(context: DestinationContext, work: (place: Place) => Promise<T>) => Promise<T>;

/** See {@link Draft.publish}. */
export type Placing = (copy: Copy) => void;

/** A draft whose place is open again when it is published. */
interface LayoutDraft<Place> extends Omit<Draft, "publish"> {
  readonly publish: (place: Place, placing?: Placing) => Promise<Copy>;
}

/** What copies of a layout are at a kind of place: what differs between destinations of {@link layoutDestination}. */
export interface CopyLayout<Place> {
  /** Whether {@link begin} writes to the place. Otherwise only the publication does. */
  readonly hasDrafts: boolean;
  /** The name of a copy at the place. */
  readonly itemOf: (copy: Copy) => string;
  /**
   * Starts a copy. Fails before anything is sent if the place cannot be used at all.
   *
   * @param earlier the copies that the resource has there
   */
  begin(place: Place, bundle: Bundle, edition: string, earlier: readonly Copy[]): Promise<LayoutDraft<Place>>;
  find(place: Place, name: string): Promise<FoundCopy>;
  /** Compares a copy with what was published. */
  compare(place: Place, copy: Copy): Promise<Exclude<CopyComparison, "unmarked" | "taken">>;
  read(place: Place, copy: Copy): Promise<CopyContent | undefined>;
  /** See {@link Destination.readFiles}. Absent for archives. */
  readFiles?(place: Place, copy: Copy, wanted: WantedFiles): Promise<void>;
  /** Whether any of an item is there. */
  exists(place: Place, item: string): Promise<boolean>;
  /** The items of which the place has a record. */
  recorded(place: Place): Promise<readonly string[]>;
  /**
   * Removes items, then their records. One that is gone is not an error.
   *
   * @param copies that the state has of these items
   * @param kept the items that stay, the newest first. None: no run follows
   */
  remove(
    place: Place,
    items: readonly string[],
    copies: readonly Copy[],
    kept: readonly string[],
  ): Promise<void>;
  readonly link?: (place: Place, copy: Copy) => Promise<CopyLink>;
}

/** Whether an item is the copy of a site: archives have other names. */
export const isEdition = (item: string): boolean => /^[0-9a-f]{64}$/.test(item);

/** A place that belongs to one resource. */
interface OwnPlace {
  readonly owner: PlaceOwner;
  /** The address of an item in messages. */
  readonly itemUri: (item: string) => string;
}

/**
 * Copies of a layout, at a place that belongs to one resource.
 *
 * @param id see {@link Destination.id}
 * @param layouts all that the kind of place has: a resource that was replaced may have used another one
 */
export function layoutDestination<Place extends OwnPlace>(
  id: string,
  layouts: Readonly<Record<Layout, CopyLayout<Place>>>,
  name: Layout,
  at: AtPlace<Place>,
): DraftingDestination {
  const layout = layouts[name];
  const { itemOf, link } = layout;
  /** Takes the mark away that was made for a copy of which nothing is there. */
  const withdraw = (context: DestinationContext): Promise<void> =>
    at(context, async (place) => {
      for (const each of Object.values(layouts)) if ((await each.recorded(place)).length > 0) return;
      await place.owner.withdraw();
    }).catch(() => undefined);
  /** @param kept none to give the place up */
  const remove = (
    copies: readonly Copy[],
    kept: readonly Copy[],
    context: DestinationContext,
  ): Promise<void> =>
    at(context, async (place) => {
      const isLast = kept.length === 0;
      const stay = kept.map(itemOf);
      const gone = copies.map(itemOf).filter((item) => !stay.includes(item));
      const removeItems = async (isMarked: boolean): Promise<void> => {
        if (!isLast || !isMarked) return layout.remove(place, gone, copies, stay);
        // also what an interrupted run left, or a resource of which this one took the place over
        for (const each of Object.values(layouts)) {
          const recorded = await each.recorded(place);
          if (each === layout) await each.remove(place, [...new Set([...gone, ...recorded])], copies, []);
          else if (recorded.length > 0) await each.remove(place, recorded, [], []);
        }
      };
      await place.owner.release(isLast, removeItems, async () => {
        const left: string[] = [];
        for (const item of new Set(gone)) {
          if (await layout.exists(place, item)) left.push(place.itemUri(item));
        }
        return left;
      });
    });
  const destination: DraftingDestination = {
    id,
    publish: (wanted, context, placing) => publishCopy(destination, wanted, context, placing),
    check: (_copies, context) => at(context, (place) => place.owner.check()),
    claim: (_copies, context) =>
      at(context, async (place) => {
        context.signal.throwIfAborted();
        await place.owner.claim();
      }),
    async begin(bundle, context, edition = bundle.sha256, earlier = []) {
      let wasFree = false;
      const unlessFailed = <T>(work: Promise<T>): Promise<T> =>
        work.catch(async (error: unknown) => {
          if (wasFree) await withdraw(context);
          throw error;
        });
      const draft = await unlessFailed(
        at(context, async (place) => {
          if (layout.hasDrafts) wasFree = await place.owner.claim();
          return layout.begin(place, bundle, edition, earlier);
        }),
      );
      return {
        ...draft,
        publish(placing) {
          const published = at(context, async (place) => {
            if (!layout.hasDrafts) wasFree = await place.owner.claim();
            return draft.publish(place, placing);
          });
          return layout.hasDrafts ? published : unlessFailed(published);
        },
        async abandon() {
          await draft.abandon?.();
          if (wasFree) await withdraw(context);
        },
      };
    },
    find: (name, context) => at(context, (place) => layout.find(place, name)),
    compare: (copy, context) =>
      at(context, (place) => place.owner.compared(() => layout.compare(place, copy))),
    ownerNow: (context) => at(context, (place) => place.owner.ownerNow()),
    read: (copy, context) => at(context, (place) => layout.read(place, copy)),
    readFiles: (copy, wanted, context) =>
      at(context, async (place) => layout.readFiles?.(place, copy, wanted)),
    prune: remove,
    release: (copies, context) => remove(copies, [], context),
    ...(link && { link: (copy, context) => at(context, (place) => link(place, copy)) }),
  };
  return destination;
}
