/** Notices that destinations are deleted or disabled while their batches are under way. */
import type { WakeStore } from '../../../db/broadcast/wake-store.ts';

interface Watched {
  destinationId: string;
  gone: AbortController;
}

const POLL_EVERY_MS = 2_000;

/** Creates the watch. One query every two seconds serves all batches under way. */
export function createDestinationWatch(store: Pick<WakeStore, 'enabled'>, everyMs = POLL_EVERY_MS) {
  const watched = new Set<Watched>();
  let timer: NodeJS.Timeout | undefined;

  const poll = async (): Promise<void> => {
    const asked = [...watched];
    const ids = asked.map(({ destinationId }) => destinationId);
    // During an outage of Postgres the batches continue.
    const enabled = ids.length === 0 ? null : await store.enabled(ids).catch(() => null);
    for (const { destinationId, gone } of asked) {
      if (enabled !== null && !enabled.has(destinationId)) gone.abort();
    }
    schedule();
  };
  const schedule = (): void => {
    timer = watched.size === 0 ? undefined : setTimeout(() => void poll(), everyMs);
  };

  return {
    /** Does the work with a signal that aborts when the destination is deleted or disabled. */
    async during<Result>(
      destinationId: string,
      work: (gone: AbortSignal) => Promise<Result>,
    ): Promise<Result> {
      const entry = { destinationId, gone: new AbortController() };
      watched.add(entry);
      if (timer === undefined) schedule();
      try {
        return await work(entry.gone.signal);
      } finally {
        watched.delete(entry);
      }
    },
  };
}

export type DestinationWatch = ReturnType<typeof createDestinationWatch>;
