import type { Handle } from '../../db/postgres/connection.ts';
import { createMappingStore } from '../../db/directory/mapping-store.ts';
import type { GroupMapping } from '../../domain/directory/group.ts';
import type { Actor, Caller } from '../../domain/principal.ts';
import type { WorkspaceRole } from '../../domain/accounts/workspace-member.ts';
import type { OnceAnswer } from '../answer-once.ts';
import type { Page } from '../accounts/workspaces/workspace-service.ts';
import { requireFound, requireId } from '../require-found.ts';
import {
  createMapping,
  type CreateMappingOptions,
  type MappingDraft,
  createPushMapping,
} from './create-mapping.ts';
import type { Push } from './push/push.ts';

export interface MappingServiceDeps {
  knex: Handle;
  push: Push;
}

/**
 * Manages which groups have which role in which workspaces. Every id that names no mapping of the organization gets the
 * same 404. Each write leaves an audit row. The resulting memberships are stored before the answer; for more than 1,000
 * people, a sync job stores them afterwards.
 */
export function createMappingService({ knex, push }: MappingServiceDeps) {
  const pushMapping = createPushMapping(push);
  return {
    /** Lists mappings, the oldest first. */
    list: (organizationId: string, page: Page): Promise<{ mappings: GroupMapping[]; totalCount: number }> =>
      createMappingStore(knex).list(organizationId, page),
    get: (organizationId: string, id: string): Promise<GroupMapping> => findMapping(knex, organizationId, id),
    /** Creates a mapping; see `createMapping`. */
    create: (caller: Caller, draft: MappingDraft, options: CreateMappingOptions): Promise<OnceAnswer> =>
      createMapping(pushMapping, caller, draft, options),
    /** Changes the role. A mapping that has the role already is applied again. */
    setRole: (actor: Actor, id: string, role: WorkspaceRole, gone: AbortSignal): Promise<GroupMapping> =>
      pushMapping({ actor, gone }, async (transaction) => {
        const store = createMappingStore(transaction);
        const stored = await findMapping(transaction, actor.organizationId, id);
        const mapping = stored.role === role ? stored : await store.setRole(stored.id, role);
        const personIds = await store.activePeople(mapping.groupId);
        return { answer: mapping, personIds, done: { action: 'updateScimGroupMapping', mapping } };
      }),
    /** Deletes a mapping. `keepMembers` leaves its members in the workspace as if they had been added by hand. */
    remove: (
      actor: Actor,
      id: string,
      { keepMembers, gone }: { keepMembers: boolean; gone: AbortSignal },
    ): Promise<void> =>
      pushMapping({ actor, gone }, async (transaction) => {
        const store = createMappingStore(transaction);
        const mapping = await findMapping(transaction, actor.organizationId, id);
        if (keepMembers) await store.keepMembers(mapping);
        await store.delete(mapping.id);
        const personIds = await store.activePeople(mapping.groupId);
        return { answer: undefined, personIds, done: { action: 'deleteScimGroupMapping', mapping } };
      }),
  };
}

/** Finds a mapping. A text that cannot be an id gets the 404 of an unknown id. */
async function findMapping(handle: Handle, organizationId: string, id: string): Promise<GroupMapping> {
  return requireFound(await createMappingStore(handle).find(organizationId, requireId(id)));
}

export type MappingService = ReturnType<typeof createMappingService>;
