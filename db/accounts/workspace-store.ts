import { newUuid } from '../../domain/ids.ts';
import {
  MAX_WORKSPACES,
  MAX_WORKSPACES_EVER,
  type Workspace,
  type WorkspaceChanges,
  type WorkspaceDraft,
  type WorkspaceReference,
} from '../../domain/accounts/workspace.ts';
import { type Handle, isUniqueViolation } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import { needsContent } from '../needs-content.ts';
import { WEBHOOK_FAILING_SINCE } from '../webhooks/failing-callback-store.ts';
import { columnsOf, type ShownWorkspaceRow, toWorkspace, type WorkspaceRow } from './workspace-rows.ts';

const HAS_DESTINATIONS =
  'exists (select from observability_destinations d where d.workspace_id = workspaces.id)';

export type NewWorkspace = WorkspaceDraft & { organizationId: string; createdBy: string | null };

/** Stores workspaces with their settings. An organization sees only its own, without deleted ones. */
export function createWorkspaceStore(handle: Handle) {
  return {
    ...workspaceReads(handle),

    /**
     * Changes a workspace. Returns null if there is none, `slug_taken` if another workspace of the organization has the
     * slug.
     */
    async update(
      organizationId: string,
      reference: WorkspaceReference,
      changes: WorkspaceChanges,
    ): Promise<Workspace | 'slug_taken' | null> {
      try {
        const rows = await workspacesNamed(handle, organizationId, reference)
          .update({ ...columnsOf(changes), updated_at: handle.raw('clock_timestamp()') })
          .returning(columnsShown(handle));
        return firstOf(rows);
      } catch (error) {
        if (isSlugTaken(error)) return 'slug_taken';
        throw error;
      }
    },

    /**
     * Creates a workspace. Returns `too_many` at the limit of current or past workspaces, and `slug_taken` if the slug
     * is used, which aborts the transaction. Call it inside a transaction, which blocks other creations in the
     * organization until its end.
     */
    async insert({
      organizationId,
      createdBy,
      ...draft
    }: NewWorkspace): Promise<Workspace | 'slug_taken' | 'too_many'> {
      await handle.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [
        `workspaces ${organizationId}`,
      ]);
      if (await isFull(handle, organizationId)) return 'too_many';
      try {
        const rows = await handle('workspaces')
          .insert({
            ...columnsOf(draft),
            id: newUuid(),
            organization_id: organizationId,
            created_by: createdBy,
            created_at: handle.raw('clock_timestamp()'),
          })
          .returning(columnsShown(handle));
        return firstOf(rows)!;
      } catch (error) {
        if (isSlugTaken(error)) return 'slug_taken';
        throw error;
      }
    },
  };
}

export type WorkspaceStore = ReturnType<typeof createWorkspaceStore>;

/** Builds the methods that read workspaces. */
function workspaceReads(handle: Handle) {
  return {
    async find(organizationId: string, reference: WorkspaceReference): Promise<Workspace | null> {
      return firstOf(await workspacesNamed(handle, organizationId, reference).select(columnsShown(handle)));
    },

    /** Finds a workspace of any organization, by an id that was read from the database. */
    async findById(id: string): Promise<Workspace | null> {
      return firstOf(await handle('workspaces').where({ id, deleted_at: null }).select(columnsShown(handle)));
    },

    /**
     * Returns the workspace and locks it until the commit. Transactions that change what belongs to a workspace take
     * this lock.
     */
    async lock(organizationId: string, reference: WorkspaceReference): Promise<Workspace | null> {
      return firstOf(
        await workspacesNamed(handle, organizationId, reference)
          .forNoKeyUpdate()
          .select(columnsShown(handle)),
      );
    },

    /**
     * Lists workspaces, the oldest first. New ones come last, in the order of their commits, so a caller who reads all
     * pages sees each once.
     */
    async list(
      organizationId: string,
      { limit, offset }: { limit: number; offset: number },
    ): Promise<{ workspaces: Workspace[]; totalCount: number }> {
      const all = () =>
        handle<WorkspaceRow>('workspaces').where({ organization_id: organizationId, deleted_at: null });
      const rows = await all()
        .select<ShownWorkspaceRow[]>(columnsShown(handle))
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit)
        .offset(offset);
      const count = await all().count<{ n: string }>({ n: '*' }).first();
      return { workspaces: rows.map(toWorkspace), totalCount: Number(count?.n ?? 0) };
    },
  };
}

/** Returns the columns of a workspace, including those computed from other tables. */
function columnsShown(handle: Handle) {
  return [
    'workspaces.*',
    handle.raw(`${WEBHOOK_FAILING_SINCE} webhook_failing_since`),
    handle.raw(`${HAS_DESTINATIONS} has_destinations`),
    handle.raw(`${needsContent('workspaces.id')} needs_broadcast_content`),
  ];
}

function workspacesNamed(handle: Handle, organizationId: string, reference: WorkspaceReference) {
  return handle<WorkspaceRow>('workspaces').where({
    organization_id: organizationId,
    deleted_at: null,
    ...reference,
  });
}

/** Returns the first row as a workspace. The query builder's type does not show that the row has all columns. */
function firstOf([row]: object[]): Workspace | null {
  return row === undefined ? null : toWorkspace(row as ShownWorkspaceRow);
}

/**
 * Returns whether the organization has reached its limit of workspaces. Deleted ones count under a limit of their own,
 * because their rows and secrets stay and queries about usage read them.
 */
async function isFull(handle: Handle, organizationId: string): Promise<boolean> {
  const [row] = await uncheckedRowsOf<{ living: string; ever: string }>(
    handle,
    `select count(*) filter (where deleted_at is null) living, count(*) ever
     from workspaces where organization_id = ?`,
    [organizationId],
  );
  return Number(row?.living) >= MAX_WORKSPACES || Number(row?.ever) >= MAX_WORKSPACES_EVER;
}

function isSlugTaken(error: unknown): boolean {
  return isUniqueViolation(error, 'workspaces_organization_id_slug_key');
}
