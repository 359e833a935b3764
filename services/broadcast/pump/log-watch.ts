import type { LogReadModel } from '../../../db/broadcast/log-read-model.ts';

interface Waiter {
  workspaceId: string;
  seen: bigint;
  wake(): void;
}

const POLL_EVERY_MS = 200;

/** Creates the watch. One query every 200 ms serves all waiting pumps; without a waiting pump there are no queries. */
export function createLogWatch(log: Pick<LogReadModel, 'totals'>, everyMs = POLL_EVERY_MS) {
  const waiters = new Set<Waiter>();
  let timer: NodeJS.Timeout | undefined;

  const poll = async (): Promise<void> => {
    const served = [...waiters];
    const totals = await log
      .totals([...new Set(served.map(({ workspaceId }) => workspaceId))])
      .catch(() => null);
    const woken = served.filter(({ workspaceId, seen }) => (totals?.get(workspaceId) ?? 0n) > seen);
    for (const [place, { wake }] of woken.entries()) {
      if (place === 0) wake();
      else setTimeout(wake, (everyMs * place) / woken.length);
    }
    schedule();
  };
  const schedule = (): void => {
    timer = waiters.size === 0 ? undefined : setTimeout(() => void poll(), everyMs);
  };

  return {
    /**
     * Resolves when the log of the workspace has more than `seen` positions, after `maxMs`, or when the signal aborts.
     * Never rejects, because during an outage of Postgres a pump can only wait.
     */
    wait: (workspaceId: string, seen: bigint, maxMs: number, signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const wake = (): void => {
          clearTimeout(limit);
          signal.removeEventListener('abort', wake);
          waiters.delete(waiter);
          resolve();
        };
        const waiter: Waiter = { workspaceId, seen, wake };
        const limit = setTimeout(wake, maxMs);
        signal.addEventListener('abort', wake, { once: true });
        waiters.add(waiter);
        if (timer === undefined) schedule();
      }),
  };
}

/** Wakes the pumps of a process when the log of a workspace has grown. */
export type LogWatch = ReturnType<typeof createLogWatch>;
