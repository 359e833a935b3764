/**
 * Checks one by one whether people and groups that a source's lists lack are really gone, before a sync removes them.
 */
import { createMissingStore, type MissingRow } from '../../../db/directory/missing-store.ts';
import { createStageStore, type StagedKind } from '../../../db/directory/stage-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import { MAX_LOOKUPS } from '../../../domain/directory/limits.ts';
import type { SyncJob } from '../../../domain/directory/job.ts';
import type { StagedGroup, StagedPerson } from '../../../domain/directory/staged.ts';
import { enterStage } from '../../../domain/directory/sync-cursor.ts';
import { NameRefusedError } from '../sources/scim/create-scim-source.ts';
import type { SourceReader } from '../sources/source-reader.ts';
import { makeStep } from './job-step.ts';
import type { OwnedJob, SyncDeps } from './sync-deps.ts';

const LOOKUPS_PER_STEP = 40;
const MAX_CONCURRENT = 8;

type Found = { missing: MissingRow; resource: StagedPerson | StagedGroup };

/**
 * Asks the source about the next stored entries that were not in its lists. Entries that the source finds count as
 * read; the others stay missing. When more than 1,000 people are missing, people without memberships are skipped: they
 * lose nothing, and are recognized when they are read again.
 */
export async function lookUpMissing(
  { knex }: SyncDeps,
  claimed: OwnedJob,
  reader: SourceReader,
  kind: StagedKind,
  signal: AbortSignal,
): Promise<void> {
  const { job, cursor } = claimed;
  const store = createMissingStore(knex);
  let { onlyMembers = false } = cursor;
  if (cursor.askedId === undefined && !job.allowDeletions) {
    const { missing, members } = await store.count(job.id, job.organizationId, kind);
    if (members > MAX_LOOKUPS) {
      const end = { ...enterStage(cursor, 'comparing'), isTooMuchMissing: true };
      await makeStep(knex, claimed, async () => ({ cursor: end }));
      return;
    }
    onlyMembers = missing > MAX_LOOKUPS;
  }
  const page = await store.page(job.id, job.organizationId, kind, {
    afterId: cursor.askedId,
    limit: LOOKUPS_PER_STEP,
    onlyMembers,
    ignoresIds: cursor.ignoresIds ?? false,
  });
  const found = await findAll(page, reader, kind, { signal, allowsDeletions: job.allowDeletions });
  await makeStep(knex, claimed, async (transaction) => {
    for (const one of found) await stage(transaction, job, kind, one);
    const last = page.at(-1);
    if (last !== undefined) return { cursor: { ...cursor, askedId: last.id, onlyMembers } };
    return { cursor: enterStage(cursor, kind === 'people' ? 'missing_groups' : 'comparing') };
  });
}

/**
 * Returns the entries that were found. When the source cannot be searched, entries stay missing if an administrator
 * allows deletions; otherwise this rejects.
 */
async function findAll(
  page: readonly MissingRow[],
  reader: SourceReader,
  kind: StagedKind,
  { signal, allowsDeletions }: { signal: AbortSignal; allowsDeletions: boolean },
): Promise<Found[]> {
  const find = async (missing: MissingRow): Promise<Found[]> => {
    try {
      const resource = await (kind === 'people'
        ? reader.findPerson(missing, signal)
        : reader.findGroup(missing, signal));
      return resource === null ? [] : [{ missing, resource }];
    } catch (error) {
      if (allowsDeletions && error instanceof NameRefusedError) return [];
      throw error;
    }
  };
  const found: Found[] = [];
  for (let from = 0; from < page.length; from += MAX_CONCURRENT)
    found.push(...(await Promise.all(page.slice(from, from + MAX_CONCURRENT).map(find))).flat());
  return found;
}

async function stage(
  transaction: Handle,
  job: SyncJob,
  kind: StagedKind,
  { missing, resource }: Found,
): Promise<void> {
  const store = createStageStore(transaction);
  const { sourceId } = resource;
  // Another entry of the source has the name now.
  if (missing.sourceId === null && (await store.has(job.id, kind, sourceId))) return;
  if (kind === 'people') await store.addPeople(job, [resource as StagedPerson]);
  else await store.addGroups(job.id, [resource as StagedGroup]);
  await createMissingStore(transaction).match(job.id, kind, { id: missing.id, sourceId });
}
