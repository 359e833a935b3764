/** Queues work by its organization. */

/** Work that belongs to an organization. */
interface Owned {
  organizationId: string;
}

/**
 * Creates a queue that keeps at most `maxOfOne` items of each organization. Each organization's items are in the order
 * of their arrival, and organizations take turns.
 */
export function createFairQueue<Item extends Owned>(maxOfOne: number) {
  /** The organization whose turn is next comes first. */
  const queues = new Map<string, Item[]>();
  return {
    /** Adds an item. Returns false if its organization has too many. */
    add(item: Item): boolean {
      const queue = queues.get(item.organizationId) ?? [];
      if (queue.length >= maxOfOne) return false;
      queue.push(item);
      queues.set(item.organizationId, queue);
      return true;
    },
    /** Returns the organizations with items, the one whose turn is next first. */
    organizations: (): string[] => [...queues.keys()],
    /** Removes and returns the first item of an organization, whose next turn then comes after all others. */
    take(organizationId: string): Item | undefined {
      const queue = queues.get(organizationId);
      queues.delete(organizationId);
      const item = queue?.shift();
      if (queue !== undefined && queue.length > 0) queues.set(organizationId, queue);
      return item;
    },
    clear: (): void => queues.clear(),
  };
}
