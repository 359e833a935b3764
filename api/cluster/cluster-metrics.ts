/** Combines the metrics of all API processes for one scrape. */
import { setTimeout as delay } from 'node:timers/promises';
import { addUp, type Snapshot } from '../../platform/metrics-snapshot.ts';
import type { ProcessMetrics } from '../../platform/metrics.ts';
import type { Child } from './child.ts';

/** The metrics of an API of several processes. */
export interface ClusterMetrics {
  /** Adds the metrics of the child as soon as it listens. Returns the child. */
  watch(child: Child): Child;
  /** Resolves with the sum of all processes, in the text format of Prometheus. */
  text(): Promise<string>;
}

/** The timeout for a child's answer. Prometheus itself waits for ten seconds. */
const ANSWER_WITHIN_MS = 1_000;

/**
 * Adds up the children's metrics. Counters never decrease: the last values of an ended child stay in the sum. Otherwise
 * the end of a child would look like a reset, and all earlier counts like new events.
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
  const requestMetrics = async (child: Child, answered: Set<Child>): Promise<void> => {
    const snapshot = await child.metrics();
    // A late answer still updates the child's counts.
    if (snapshot === undefined || !living.has(child)) return;
    living.set(child, snapshot);
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
      const all = Promise.all([...living.keys()].map((child) => requestMetrics(child, answered)));
      const ofThis = await own.snapshot();
      await Promise.race([all, delay(withinMs, undefined, { ref: false })]);
      // Reads `past` and `living` at the same moment, so that a child that has just ended counts once.
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
 * Returns the metrics without gauges, but with the start time of the process. Without it, the latest start would seem
 * to change when a child is slow to answer.
 */
function lastingOf(snapshot: Snapshot): Snapshot {
  return snapshot.filter(
    ({ name, type }) => String(type) !== 'gauge' || name === 'process_start_time_seconds',
  );
}
