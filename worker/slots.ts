/** Defines how many activities a worker runs at once, and shares them between organizations. */
import type { QueueName } from '../domain/runs.ts';
import type { Metrics } from '../platform/metrics.ts';
import { createSharedSlots, type SharedSlots } from '../services/shared-slots.ts';

/**
 * The number of activities that one process runs at once, by queue. The sweep always occupies one slot of
 * maintenance. Each destination with a backlog occupies one slot of broadcast.
 */
export const SLOTS: Record<QueueName, number> = {
  video: 100,
  webhooks: 200,
  broadcast: 500,
  'provider-io': 50,
  directory: 4,
  maintenance: 6,
};

/**
 * The queues whose slots organizations share. An organization has one directory sync and five validations at a time, so
 * it cannot fill the slots of those queues.
 */
const SHARED_QUEUES = ['video', 'webhooks', 'broadcast'] as const;

export type SlotsOfQueues = Record<(typeof SHARED_QUEUES)[number], SharedSlots>;

/** Creates the shares of this process, and counts the tasks that they send away. */
export function shareSlots(metrics: Metrics): SlotsOfQueues {
  const counter = metrics.counter({
    name: 'sluice_share_exceeded_total',
    help: 'Activities that were put off, because their organization held its share of the slots of a queue.',
    labels: ['queue'],
  });
  const shares = SHARED_QUEUES.map((queue) => [
    queue,
    createSharedSlots({ slots: SLOTS[queue], onSentAway: counter({ queue }) }),
  ]);
  return Object.fromEntries(shares) as SlotsOfQueues;
}
