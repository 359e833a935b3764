/** Completes a directory sync after its last change was applied. */
import { createSourceStore } from '../../../db/directory/source-store.ts';
import { endJob } from './end-sync.ts';
import { jobOf, makeStep } from './job-step.ts';
import { readsSource } from './require-source.ts';
import type { RunRef, SyncDeps } from './sync-deps.ts';

/** Ends the job as succeeded, and records the time up to which the source was read. */
export async function finishSync({ knex }: SyncDeps, ref: RunRef): Promise<void> {
  const claimed = await jobOf(knex, ref);
  const { job, cursor } = claimed;
  await makeStep(
    knex,
    ref,
    claimed,
    async (transaction) => {
      const { baseUrl, readAtMs, groups } = cursor;
      if (readsSource(claimed) && baseUrl !== undefined && readAtMs !== undefined) {
        const reading = { baseUrl, readAtMs, isFull: job.isFull };
        await createSourceStore(transaction).noteReading(job.organizationId, reading);
      }
      await endJob(transaction, job, {
        state: 'succeeded',
        syncedGroups: groups?.synced ?? 0,
        deletedGroups: groups?.deleted ?? 0,
      });
      return { cursor };
    },
    { locks: true },
  );
}
