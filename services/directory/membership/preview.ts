/** Calculates what applying a directory would change, for dry runs and for the guard against mass removals. */
import type { Handle } from '../../../db/postgres/connection.ts';
import type { PeopleSource } from '../../../db/directory/membership-people.ts';
import { createMembershipPreviewStore } from '../../../db/directory/membership-preview-store.ts';
import { createSourceStore } from '../../../db/directory/source-store.ts';
import type { Removals } from '../../../domain/directory/guard.ts';
import type { SyncCounts } from '../../../domain/directory/job.ts';

export interface PreviewRequest {
  organizationId: string;
  /**
   * The people to preview. `staged` rows must name their stored people and groups (`person_id`, `group_id`). After a
   * full reading, managed people who are not staged count as gone, including hidden ones.
   */
  from: PeopleSource;
  /** True when people whose removal is held are removed as well, as with `allow_deletions`. */
  includesHeld?: boolean;
}

export interface Preview {
  removals: { people: Removals; groups: Removals };
  counts: SyncCounts;
}

/** Returns the changes that `applyPeople` would make for people. It changes nothing. */
export async function previewChanges(handle: Handle, request: PreviewRequest): Promise<Preview> {
  const { organizationId, from } = request;
  const store = createMembershipPreviewStore(handle, organizationId);
  if (from.kind === 'staged') await store.measureStage();
  const { counts, removed } = await store.preview(await queryOf(handle, request));
  return {
    removals: { people: { removed, managed: await store.managed() }, groups: await store.groups(from) },
    counts: { peopleRead: 0, groupsRead: 0, ...counts },
  };
}

/** Returns the stored people who would lose the organization or a workspace. */
export async function findLosers(handle: Handle, request: PreviewRequest): Promise<string[]> {
  const store = createMembershipPreviewStore(handle, request.organizationId);
  return (await store.preview(await queryOf(handle, request))).loserIds;
}

/**
 * Counts the people of the preview whose losses were approved before: by an administrator's change of a mapping, or
 * by a run that passed the guard and ended early.
 */
export async function countApproved(handle: Handle, request: PreviewRequest): Promise<number> {
  const { organizationId } = request;
  const store = createMembershipPreviewStore(handle, organizationId);
  const from = { kind: 'stored' as const, onlyFree: true };
  const approved = await store.losses(await queryOf(handle, { organizationId, from }));
  if (approved.size === 0) return 0;
  const losses = await store.losses(await queryOf(handle, request), [...approved.keys()]);
  return [...losses].filter(([id, places]) => places.every((place) => approved.get(id)?.includes(place)))
    .length;
}

/** Writes the previewed changes into a job, up to the number that a job keeps. */
export async function writePreview(
  transaction: Handle,
  request: PreviewRequest,
  jobId: string,
): Promise<void> {
  const store = createMembershipPreviewStore(transaction, request.organizationId);
  await store.write(await queryOf(transaction, request), jobId);
}

async function queryOf(handle: Handle, { organizationId, from, includesHeld = false }: PreviewRequest) {
  const { disableKeys } = await createSourceStore(handle).find(organizationId);
  return { from, disableKeys, sparesHeld: !includesHeld };
}
