import type { Bundle } from "../../site/inspection/bundle";
import type { Ownership } from "../ownership/ownership";
import type { Copy, CopyComparison, Destination, DestinationContext, Draft } from "./destination";

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
  /** The item that has the marks of a copy's owners, by its name at the place. */
  readonly itemOf: (copy: Copy) => string;
  /** Whether an item is one of this layout. */
  readonly isItem: (name: string) => boolean;
  /** Whether any of an item is there. */
  exists(place: Place, item: string): Promise<boolean>;
  /** Fails before anything is sent if the place cannot be used at all. */
  begin(place: Place, bundle: Bundle, edition: string): Promise<LayoutDraft<Place>>;
  find(place: Place, name: string): ReturnType<Destination["find"]>;
  /** Compares a copy with what was published, without its marks. */
  compare(place: Place, copy: Copy): Promise<Exclude<CopyComparison, "unmarked">>;
  read(place: Place, copy: Copy): ReturnType<Destination["read"]>;
  /**
   * Takes the owner's marks at items away, and removes what no other owner has.
   *
   * @param copies that the owner's state has of these items
   * @param isLast whether no copy is kept: no run follows
   */
  remove(place: Place, items: readonly string[], copies: readonly Copy[], isLast: boolean): Promise<void>;
  readonly link?: (place: Place, copy: Copy) => ReturnType<NonNullable<Destination["link"]>>;
}

/** Whether an item is the copy of a site: archives have other names. */
export const isEdition = (item: string): boolean => /^[0-9a-f]{64}$/.test(item);

/** Copies of a layout. @param id see {@link Destination.id} */
export function layoutDestination<Place extends { readonly ownership: Ownership }>(
  id: string,
  layout: CopyLayout<Place>,
  at: AtPlace<Place>,
): Destination {
  const { itemOf, link } = layout;
  return {
    id,
    async begin(bundle, context, edition = bundle.sha256) {
      const draft = await at(context, (place) => layout.begin(place, bundle, edition));
      return { ...draft, publish: (placing) => at(context, (place) => draft.publish(place, placing)) };
    },
    find: (name, context) => at(context, (place) => layout.find(place, name)),
    compare: (copy, context) =>
      at(context, async (place) => {
        const found = await layout.compare(place, copy);
        return found === "same" ? place.ownership.compared(itemOf(copy)) : found;
      }),
    mark: (copies, context) =>
      at(context, async (place) => {
        for (const item of copies.map(itemOf))
          if (await layout.exists(place, item)) await place.ownership.claim(item);
      }),
    read: (copy, context) => at(context, (place) => layout.read(place, copy)),
    remove: (copies, kept, context) =>
      at(context, async (place) => {
        const isLast = kept.length === 0;
        // what an interrupted run left
        const own = isLast ? (await place.ownership.ownItems()).filter(layout.isItem) : [];
        const items = new Set([...copies.map(itemOf), ...own]);
        for (const each of kept) items.delete(itemOf(each));
        await layout.remove(place, [...items], copies, isLast);
      }),
    ...(link && { link: (copy, context) => at(context, (place) => link(place, copy)) }),
  };
}
