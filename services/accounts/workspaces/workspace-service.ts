/** Lists, shows, creates, changes and deletes the workspaces of an organization. */
import { createAuditStore } from '../../../db/accounts/audit-store.ts';
import { createHeadStore } from '../../../db/broadcast/head-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import { createWorkspaceStore } from '../../../db/accounts/workspace-store.ts';
import type { Actor, Caller } from '../../../domain/principal.ts';
import type { Workspace, WorkspaceChanges, WorkspaceDraft } from '../../../domain/accounts/workspace.ts';
import type { OnceAnswer, OnceOptions } from '../../answer-once.ts';
import { requireFound } from '../../require-found.ts';
import { checkCallbackUrl } from './callback-url.ts';
import { createWorkspace, type CreateWorkspaceDeps, slugTaken } from './create-workspace.ts';
import { findWorkspace, referenceOf } from './find-workspace.ts';
import type { WorkspaceSettingsCache } from './workspace-settings-cache.ts';

export interface Page {
  limit: number;
  offset: number;
}

export interface WorkspaceServiceDeps extends CreateWorkspaceDeps {
  /** The cached settings of workspaces in this process. */
  settings: Pick<WorkspaceSettingsCache, 'forget'>;
  /** Deletes a workspace with everything that the capabilities store for it. */
  remove: RemoveWorkspace;
  /** Notifies the delivery of an observability destination that the destination was deleted. Must not throw. */
  destinationChanged(destinationId: string): void;
}

/** Deletes a workspace. Returns its id and the ids of its observability destinations. Throws 400 while it is in use. */
export type RemoveWorkspace = (
  transaction: Handle,
  actor: Actor,
  reference: string,
) => Promise<{ id: string; destinationIds: string[] }>;

/**
 * Manages workspaces. `reference` is an id or a slug; a reference that names no workspace of the organization gets a
 * 404. Each write leaves an audit row. A change applies in this process at once and in the others within a second, when
 * the notice arrives.
 */
export function createWorkspaceService(deps: WorkspaceServiceDeps) {
  const { knex, settings, destinationChanged } = deps;
  return {
    /** Lists workspaces, the oldest first. */
    list: (organizationId: string, page: Page): Promise<{ workspaces: Workspace[]; totalCount: number }> =>
      createWorkspaceStore(knex).list(organizationId, page),
    /** Creates a workspace; see `createWorkspace`. */
    create: (caller: Caller, draft: WorkspaceDraft, once: OnceOptions<Workspace>): Promise<OnceAnswer> =>
      createWorkspace(deps, caller, draft, once),
    get: (organizationId: string, reference: string): Promise<Workspace> =>
      findWorkspace(knex, organizationId, reference),
    /** Changes a workspace. Throws 400 for a slug that is taken and for a callback URL that can never be called. */
    async update(actor: Actor, reference: string, changes: WorkspaceChanges): Promise<Workspace> {
      checkCallbackUrl(deps.checkUrl, changes.defaultCallbackUrl);
      const changed = await knex.transaction(async (transaction) => {
        const store = createWorkspaceStore(transaction);
        const updated = await store.update(actor.organizationId, referenceOf(reference), changes);
        if (updated === 'slug_taken') throw slugTaken();
        const workspace = requireFound(updated);
        const target = `workspaces/${workspace.id}`;
        await createAuditStore(transaction).insert(actor, { action: 'updateWorkspace', target });
        if (changes.isObservabilityBroadcastEnabled !== undefined) {
          await createHeadStore(transaction).refreshLogging(workspace.id);
        }
        return workspace;
      });
      settings.forget(changed.id);
      return changed;
    },
    /** Deletes a workspace; see `RemoveWorkspace`. */
    async remove(actor: Actor, reference: string): Promise<void> {
      const { id, destinationIds } = await knex.transaction((transaction) =>
        deps.remove(transaction, actor, reference),
      );
      settings.forget(id);
      destinationIds.forEach(destinationChanged);
    },
  };
}

export type WorkspaceService = ReturnType<typeof createWorkspaceService>;
