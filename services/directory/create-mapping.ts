/** Creates a mapping from a directory group to a role in a workspace, and applies changes of mappings to members. */
import type { Handle } from '../../db/postgres/connection.ts';
import { createGroupReadModel } from '../../db/directory/group-read-model.ts';
import { createMappingStore, type NewMapping } from '../../db/directory/mapping-store.ts';
import { createWorkspaceStore } from '../../db/accounts/workspace-store.ts';
import type { GroupMapping } from '../../domain/directory/group.ts';
import { AppError, type Issue } from '../../domain/errors.ts';
import { actorOf, type Caller, type Actor } from '../../domain/principal.ts';
import { findEarlierAnswer, type OnceAnswer, type OnceOptions, remember } from '../answer-once.ts';
import type { Push } from './push/push.ts';

export type MappingDraft = Omit<NewMapping, 'organizationId'>;

export interface CreateMappingOptions extends OnceOptions<GroupMapping> {
  gone: AbortSignal;
}

const OPERATION = 'createScimGroupMapping';

/**
 * Maps a group to a workspace. An existing mapping with the same role is applied again, because members may be missing.
 * Throws 409 when it has another role, and 404 for a group or a workspace that the organization lacks.
 */
export function createMapping(
  push: PushMapping,
  caller: Caller,
  draft: MappingDraft,
  { gone, idempotency, respond }: CreateMappingOptions,
): Promise<OnceAnswer> {
  const { organizationId } = caller.principal;
  const scope = idempotency && { ...idempotency, organizationId, workspaceId: null, operation: OPERATION };
  return push({ actor: actorOf(caller), gone }, async (transaction) => {
    // Changes of a directory run one after another, so an identical request has ended or waits for this one.
    const earlier = await findEarlierAnswer({ knex: transaction, scope });
    if (earlier !== undefined) return { answer: earlier, personIds: [] };
    const mapping = await insertOnce(transaction, { ...draft, organizationId });
    const answer = respond(mapping);
    await remember({ scope }, transaction, answer);
    const personIds = await createMappingStore(transaction).activePeople(mapping.groupId);
    return { answer: { ...answer, replayed: false }, personIds, done: { action: OPERATION, mapping } };
  });
}

async function insertOnce(transaction: Handle, draft: NewMapping): Promise<GroupMapping> {
  await requireBoth(transaction, draft);
  const store = createMappingStore(transaction);
  const stored = await store.findByPair(draft.groupId, draft.workspaceId);
  if (stored === null) return store.insert(draft);
  if (stored.role === draft.role) return stored;
  const message = `is ${stored.role} in the stored mapping ${stored.id}: change it with PATCH`;
  const issues = [{ path: 'body.role', message }];
  throw new AppError('conflict', { reason: 'mapping_exists', retryable: false, issues });
}

/** Requires the group and the workspace. Locks the workspace, so that its deletion also deletes the new mapping. */
async function requireBoth(
  transaction: Handle,
  { organizationId, groupId, workspaceId }: NewMapping,
): Promise<void> {
  const issues: Issue[] = [];
  if (!(await createGroupReadModel(transaction).exists(organizationId, groupId))) {
    issues.push({ path: 'body.scim_group_id', message: 'is no group of the organization' });
  }
  if ((await createWorkspaceStore(transaction).lock(organizationId, { id: workspaceId })) === null) {
    issues.push({ path: 'body.workspace_id', message: 'is no workspace of the organization' });
  }
  if (issues.length > 0) throw new AppError('not_found', { issues });
}

interface MappingChange<Answer> {
  answer: Answer;
  /** The operation and the mapping that it changed. Absent when nothing was done. */
  done?: { action: string; mapping: GroupMapping };
  /** The people whose memberships may change. */
  personIds: readonly string[];
}

type PushMapping = <Answer>(
  call: { actor: Actor; gone: AbortSignal },
  work: (transaction: Handle) => Promise<MappingChange<Answer>>,
) => Promise<Answer>;

/**
 * Creates the function that changes mappings, in the transaction that applies the result, with an audit row. It works
 * with any source of people. It has no guard, because an administrator requested exactly this change.
 */
export function createPushMapping(push: Push): PushMapping {
  return ({ actor, gone }, work) =>
    push({ organizationId: actor.organizationId, actor, gone, allowPulled: true }, async (transaction) => {
      const { answer, done, personIds } = await work(transaction);
      const entries =
        done === undefined ? [] : [{ action: done.action, target: `scim/group-mappings/${done.mapping.id}` }];
      return { answer, personIds, entries, guarded: false };
    });
}
