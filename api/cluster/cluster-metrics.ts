import { setTimeout as delay } from 'node:timers/promises';
import { addUp, type Snapshot } from '../../platform/metrics-snapshot.ts';
import type { ProcessMetrics } from '../../platform/metrics.ts';
import type { Child } from './child.ts';

/** The metrics of an API of several processes. */
export interface ClusterMetrics {
  /** Counts the child in as soon as it listens. Returns it. */
  watch(child: Child): Child;
  /** Resolves with the sum of all processes, in the text format of Prometheus. */
  text(): Promise<string>;
}

/** A child that hangs keeps nobody waiting for longer. Prometheus itself waits for ten seconds. */
const ANSWER_WITHIN_MS = 1_000;

/**
 * Adds up what the children show. Counters never go down: what an ended child last showed stays in the sum. Otherwise its end
 * would look like a reset, and all that the others have ever counted like events of that moment.
 */
export function createClusterMetrics(own: ProcessMetrics, withinMs = ANSWER_WITHIN_MS): ClusterMetrics {
  /** The last values that each living child showed. */
  const living = new Map<Child, Snapshot>();
  /** Counts of the children that have ended. */
  let past: Snapshot = [];

  const end = (child: Child): void => {
    const last = living.get(child);
    if (last === undefined) return;
    living.delete(child);
    past = addUp([past, countsOf(last)]).series;
  };
  const ask = async (child: Child, answered: Set<Child>): Promise<void> => {
    const shown = await child.metrics();
    // An answer that comes too late still says what the child has counted.
    if (shown === undefined || !living.has(child)) return;
    living.set(child, shown);
    answered.add(child);
  };

  return {
    watch(child) {
      child.ready.then(
        () => living.set(child, []),
        () => {},
      );
      void child.exited.then(() => end(child));
      return child;
    },
    async text() {
      const answered = new Set<Child>();
      const all = Promise.all([...living.keys()].map((child) => ask(child, answered)));
      const ofThis = await own.snapshot();
      await Promise.race([all, delay(withinMs, undefined, { ref: false })]);
      // Of one moment: a child that has ended meanwhile counts among the past ones, and nowhere else.
      const ofChildren = [...living].map(([child, last]) => (answered.has(child) ? last : lastingOf(last)));
      return addUp([ofThis, past, ...ofChildren]).text();
    },
  };
}

/** Leaves out gauges: they were true when they were read. */
function countsOf(snapshot: Snapshot): Snapshot {
  return snapshot.filter(({ type }) => String(type) !== 'gauge');
}

/** Leaves out gauges but for the start of the process, which would seem to change whenever a child is slow to answer. */
function lastingOf(snapshot: Snapshot): Snapshot {
  return snapshot.filter(
    ({ name, type }) => String(type) !== 'gauge' || name === 'process_start_time_seconds',
  );
}
