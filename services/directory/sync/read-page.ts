/** Reads a directory's source page by page, in steps that a retry can repeat. */
import type { Handle } from '../../../db/postgres/connection.ts';
import type { ClaimedJob } from '../../../db/directory/job-run-store.ts';
import { createStageStore, type StagedKind } from '../../../db/directory/stage-store.ts';
import type { SyncProgress, SyncWarning } from '../../../domain/directory/job.ts';
import { MAX_GROUPS, MAX_PEOPLE, MAX_READINGS_AGAIN } from '../../../domain/directory/limits.ts';
import type { StagedGroup, StagedPerson } from '../../../domain/directory/staged.ts';
import { enterStage, readAgain, type SyncCursor } from '../../../domain/directory/sync-cursor.ts';
import {
  SourceError,
  type UnreadableResource,
  type SourcePage,
  type SourceReader,
} from '../sources/source-reader.ts';
import { makeStep, type StepNote } from './job-step.ts';
import type { OwnedJob, SyncDeps } from './sync-deps.ts';

const LIMITS = { people: MAX_PEOPLE, groups: MAX_GROUPS } as const;

/**
 * Reads the next page of a list and stages it, and records the position of the following page in one transaction. The
 * position advances by the number of resources received. A page without anything new is read again, and so is a list
 * with another length than the source states.
 */
export async function readPage(
  { knex }: SyncDeps,
  claimed: OwnedJob,
  reader: SourceReader,
  kind: StagedKind,
  signal: AbortSignal,
): Promise<void> {
  const { startIndex, changedSince } = claimed.cursor;
  const request = { startIndex, signal, changedSince };
  const page: SourcePage<StagedPerson | StagedGroup> =
    kind === 'people' ? await reader.readPeople(request) : await reader.readGroups(request);
  if (page.total > LIMITS[kind])
    throw new SourceError('source_too_large', `The source has more than ${LIMITS[kind]} ${kind}.`);
  await makeStep(knex, claimed, async (transaction) => {
    const { added, leftOut, warnings } = await stagePage(transaction, claimed, kind, page);
    const received = page.resources.length + page.unreadable.length;
    const isNothingNew = received === 0 ? claimed.cursor.read < page.total : added + leftOut === 0;
    if (isNothingNew) return { cursor: pageAgain(claimed.cursor) };
    const { cursor } = claimed;
    const moved: SyncCursor = {
      ...cursor,
      startIndex: startIndex + received,
      read: cursor.read + received,
      leftOut: cursor.leftOut + leftOut,
      pageReadings: 0,
    };
    if (moved.read > LIMITS[kind])
      throw new SourceError('source_too_large', `The source has more than ${LIMITS[kind]} ${kind}.`);
    const note = { cursor: moved, warnings, progress: progressOf(claimed, kind, moved.read) };
    return moved.read < page.total ? note : endOfList(transaction, claimed, kind, page.total, note);
  });
}

async function stagePage(
  transaction: Handle,
  { job, cursor: { ignoresIds = false } }: ClaimedJob,
  kind: StagedKind,
  { resources, unreadable }: SourcePage<StagedPerson | StagedGroup>,
): Promise<{ added: number; leftOut: number; warnings: SyncWarning[] }> {
  const stage = createStageStore(transaction);
  if (kind === 'groups') {
    const [first] = unreadable;
    if (first !== undefined) throw new SourceError('source_invalid', messageFor('group', first));
    const added = await stage.addGroups(job.id, resources as StagedGroup[]);
    return { added, leftOut: 0, warnings: [] };
  }
  let added = await stage.addPeople(job, resources as StagedPerson[], { ignoresIds });
  let leftOut = 0;
  for (const { sourceId } of unreadable) {
    // A stored person whose resource cannot be read stays unchanged.
    if (!ignoresIds && (await stage.keepPerson(job.id, job.organizationId, sourceId))) added += 1;
    else leftOut += 1;
  }
  const warnings = unreadable.map((one) => ({
    reason: 'person_not_understood',
    message: messageFor('person', one),
  }));
  return { added, leftOut, warnings };
}

function messageFor(what: 'person' | 'group', { sourceId, why }: UnreadableResource): string {
  return `The ${what} ${sourceId.slice(0, 100)} of the source is not understood: ${why}`;
}

function pageAgain(cursor: SyncCursor): SyncCursor {
  if (cursor.pageReadings === MAX_READINGS_AGAIN)
    throw new SourceError('source_incomplete', 'A page of the source has only entries of earlier pages.');
  return { ...cursor, pageReadings: cursor.pageReadings + 1 };
}

/**
 * Ends a list if the number of staged rows equals the number read and the number that the source states; else reads
 * the list again.
 */
async function endOfList(
  transaction: Handle,
  { job, cursor }: ClaimedJob,
  kind: StagedKind,
  total: number,
  note: StepNote,
): Promise<StepNote> {
  const stage = createStageStore(transaction);
  const staged = await stage.count(job.id, kind);
  const { read, leftOut } = note.cursor;
  if (staged + leftOut === read && read === total) {
    const next = enterStage(note.cursor, kind === 'people' ? 'groups' : 'merging');
    const counts = kind === 'people' ? { peopleRead: staged } : { groupsRead: staged };
    return { ...note, cursor: next, counts };
  }
  if (cursor.readings === MAX_READINGS_AGAIN)
    throw new SourceError(
      'source_incomplete',
      `The number of ${kind} in the source differs from the total that it states.`,
    );
  await stage.clear(job.id, kind);
  return { cursor: readAgain(note.cursor) };
}

function progressOf({ job }: ClaimedJob, kind: StagedKind, read: number): SyncProgress {
  const step = kind === 'people' ? 'reading people' : 'reading groups';
  const page = job.progress.step === step ? (job.progress.page ?? 0) + 1 : 1;
  return { step, page, [kind]: read };
}
