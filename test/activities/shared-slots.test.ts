import { expect, test } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { type ActivityDeps, createActivities } from '../../activities/index.ts';
import { createSharedSlots } from '../../services/shared-slots.ts';

/** The activities that may wait for somebody else's server, by queue. */
const SHARED = [
  ['video', 'submitVideo'],
  ['video', 'checkVideoStatus'],
  ['video', 'storeVideoOutputs'],
  ['webhooks', 'attemptWebhook'],
  ['broadcast', 'pumpDestination'],
] as const;

test.each(SHARED)('the queue %s sends %s away while its organization has no slot', async (queue, name) => {
  const sentAway: string[] = [];
  // Nobody gets a slot, so that no activity needs anything else.
  const slotsOf = (of: string) => createSharedSlots({ slots: 0, onSentAway: () => sentAway.push(of) });
  const slots = { video: slotsOf('video'), webhooks: slotsOf('webhooks'), broadcast: slotsOf('broadcast') };
  const parts = { video: {}, webhooks: {}, broadcast: {}, validations: {}, directory: {}, sweeping: {} };
  const deps = { ...parts, maintenance: {}, slots } as unknown as ActivityDeps;
  const { signal } = new AbortController();
  const activities = createActivities(deps, { requested: signal, graceOver: signal });
  const environment = new MockActivityEnvironment({ priority: { fairnessKey: 'an organization' } });
  const run = (activities[queue] as Record<string, () => Promise<unknown>>)[name]!;
  await expect(environment.run(run)).rejects.toMatchObject({ type: 'NotYet' });
  expect(sentAway).toEqual([queue]);
});
