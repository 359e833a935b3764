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
import { countRows, firstRow, lockName } from '../postgres/results.ts';
import { columnsOf, int8 } from '../postgres/shape.ts';
import { rowsOf, type Statement, tables } from '../postgres/statement.ts';
import { toWorkspace, WORKSPACE, WORKSPACE_COLUMNS, workspaceBy } from './workspace-rows.ts';

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
        const columns = { ...columnsOf(changes), updated_at: tables.raw('clock_timestamp()') };
        return await findBy(
          handle,
          workspaceBy(organizationId, reference).update(columns).returning(WORKSPACE_COLUMNS),
        );
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
      await lockName(handle, `workspaces ${organizationId}`);
      if (await isFull(handle, organizationId)) return 'too_many';
      const columns = {
        ...columnsOf({ ...draft, id: newUuid(), organizationId, createdBy }),
        created_at: tables.raw('clock_timestamp()'),
      };
      try {
        return (await findBy(handle, tables('workspaces').insert(columns).returning(WORKSPACE_COLUMNS)))!;
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
    find: (organizationId: string, reference: WorkspaceReference): Promise<Workspace | null> =>
      findBy(handle, workspaceBy(organizationId, reference).select(WORKSPACE_COLUMNS)),

    /** Finds a workspace of any organization, by an id that was read from the database. */
    findById: (id: string): Promise<Workspace | null> =>
      findBy(handle, tables('workspaces').where({ id, deleted_at: null }).select(WORKSPACE_COLUMNS)),

    /**
     * Returns the workspace and locks it until the commit. Transactions that change what belongs to a workspace take
     * this lock.
     */
    lock: (organizationId: string, reference: WorkspaceReference): Promise<Workspace | null> =>
      findBy(handle, workspaceBy(organizationId, reference).forNoKeyUpdate().select(WORKSPACE_COLUMNS)),

    /**
     * Lists workspaces, the oldest first. New ones come last, in the order of their commits, so a caller who reads all
     * pages sees each once.
     */
    async list(
      organizationId: string,
      { limit, offset }: { limit: number; offset: number },
    ): Promise<{ workspaces: Workspace[]; totalCount: number }> {
      const page = tables('workspaces')
        .where({ organization_id: organizationId, deleted_at: null })
        .select(WORKSPACE_COLUMNS)
        .orderBy(['created_at', 'id'])
        .limit(limit)
        .offset(offset);
      const rows = await rowsOf(handle, WORKSPACE, page);
      const living = 'from workspaces where organization_id = :organizationId and deleted_at is null';
      return {
        workspaces: rows.map(toWorkspace),
        totalCount: await countRows(handle, living, { organizationId }),
      };
    },
  };
}

async function findBy(handle: Handle, statement: Statement): Promise<Workspace | null> {
  const row = await firstRow(handle, WORKSPACE, statement);
  return row && toWorkspace(row);
}

/**
 * Returns whether the organization has reached its limit of workspaces. Deleted ones count under a limit of their own,
 * because their rows and secrets stay and queries about usage read them.
 */
async function isFull(handle: Handle, organizationId: string): Promise<boolean> {
  const [row] = await rowsOf(
    handle,
    { living: int8, ever: int8 },
    `select count(*) filter (where deleted_at is null) living, count(*) ever
     from workspaces where organization_id = :organizationId`,
    { organizationId },
  );
  return Number(row?.living) >= MAX_WORKSPACES || Number(row?.ever) >= MAX_WORKSPACES_EVER;
}

function isSlugTaken(error: unknown): boolean {
  return isUniqueViolation(error, 'workspaces_organization_id_slug_key');
}
