/** Identifies which people and groups of a source's reading are already stored. */
import { createMergeStore } from '../../../db/directory/merge-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import { enterStage } from '../../../domain/directory/sync-cursor.ts';
import { SourceError } from '../sources/source-reader.ts';
import { readAllInstead } from './begin-reading.ts';
import { makeStep } from './job-step.ts';
import type { OwnedJob, SyncDeps } from './sync-deps.ts';

/**
 * Matches staged rows with stored ones. When only changes were read and one has the name of another stored person, the
 * reading missed a change, so everything is read again.
 */
export async function mergeStage(deps: SyncDeps, claimed: OwnedJob): Promise<void> {
  const { job, cursor } = claimed;
  const { ignoresIds = false } = cursor;
  const request = { jobId: job.id, organizationId: job.organizationId, isFull: job.isFull, ignoresIds };
  await createMergeStore(deps.knex).analyze();
  try {
    await makeStep(deps.knex, claimed, async (transaction) => {
      const store = createMergeStore(transaction);
      await store.merge('people', request);
      await store.merge('groups', request);
      await refuseDoubleNames(transaction, job.id);
      if (!job.isFull && (await store.findTakenName(request)) !== undefined) throw new NameTakenError();
      return { cursor: enterStage(cursor, job.isFull ? 'missing_people' : 'comparing') };
    });
  } catch (error) {
    if (!(error instanceof NameTakenError)) throw error;
    await readAllInstead(deps, claimed);
  }
}

class NameTakenError extends Error {}

/** Fails when two staged people have one user name, in any case, because nothing would distinguish them. */
export async function refuseDoubleNames(handle: Handle, jobId: string): Promise<void> {
  const name = await createMergeStore(handle).findDoubleName(jobId);
  if (name === undefined) return;
  const message = `Two people of the source have the user name ${name.slice(0, 100)}.`;
  throw new SourceError('source_invalid', message);
}
