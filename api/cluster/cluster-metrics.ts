import { setTimeout as delay } from 'node:timers/promises';
import { addUp, type Snapshot } from '../../platform/metrics-snapshot.ts';
import type { ProcessMetrics } from '../../platform/metrics.ts';
import type { Child } from './child.ts';

/** The metrics of an API of several processes. */
export interface ClusterMetrics {
  /** Includes the child as soon as it listens. Returns it. */
  watch(child: Child): Child;
  /** Resolves with the sum of all processes, in the text format of Prometheus. */
  text(): Promise<string>;
}

/** The timeout for a child's answer. Prometheus itself waits for ten seconds. */
const ANSWER_WITHIN_MS = 1_000;

/**
 * Adds up the children's metrics. Counters never decrease: the last values of an ended child stay in the sum. Otherwise
 * its end would look like a reset, and all earlier counts like new events.
 */
export function createClusterMetrics(own: ProcessMetrics, withinMs = ANSWER_WITHIN_MS): ClusterMetrics {
  /** The last values of each living child. */
  const living = new Map<Child, Snapshot>();
  /** The counts of ended children. */
  let past: Snapshot = [];

  const end = (child: Child): void => {
    const last = living.get(child);
    if (last === undefined) return;
    living.delete(child);
    past = addUp([past, countsOf(last)]).series;
  };
  const ask = async (child: Child, answered: Set<Child>): Promise<void> => {
    const shown = await child.metrics();
    // A late answer still updates the child's counts.
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
      // Taken at one moment, so a child that ended meanwhile counts once.
      const ofChildren = [...living].map(([child, last]) => (answered.has(child) ? last : lastingOf(last)));
      return addUp([ofThis, past, ...ofChildren]).text();
    },
  };
}

/** Returns the metrics without gauges, which were valid only when they were read. */
function countsOf(snapshot: Snapshot): Snapshot {
  return snapshot.filter(({ type }) => String(type) !== 'gauge');
}

/**
 * Returns the metrics without gauges, except the process's start, which would seem to change when a child is slow to
 * answer.
 */
function lastingOf(snapshot: Snapshot): Snapshot {
  return snapshot.filter(
    ({ name, type }) => String(type) !== 'gauge' || name === 'process_start_time_seconds',
  );
}
