/** Stores and finds interns. */
import type { Intern } from '../../domain/interns/intern-record.ts';
import type { KnownIntern } from '../../domain/interns/intern.ts';
import { type Handle, isUniqueViolation } from '../postgres/connection.ts';
import { anyRows, firstRow } from '../postgres/results.ts';
import { INTERN, INTERNS, type InternUpdate } from './intern-rows.ts';
import { run, tables } from '../postgres/statement.ts';
import { columnsOf, selectList, uuid } from '../postgres/shape.ts';

export interface NewIntern extends Pick<
  Intern,
  'id' | 'organizationId' | 'workspaceId' | 'name' | 'description' | 'instructions' | 'attachedVaultId'
> {
  /** The user who creates the intern, or the hash of a key without a user. */
  creator: string;
  /** A hash of the request, by which a repeated request finds the intern. */
  requestHash: string;
  /** The vault that is created with the intern. */
  vault: { id: string; sealedKey: string };
}

/** Reads and writes `interns`. A deleted intern has no row. */
export function createInternStore(handle: Handle) {
  return {
    ...internReads(handle),

    /**
     * Inserts an intern with its vault. Returns false if the creator has another intern of that name in the workspace.
     * The caller holds the workspace's lock, so that interns become visible in the order of their creation times.
     */
    insert: ({ vault, ...intern }: NewIntern): Promise<boolean> =>
      anyRows(
        handle,
        `with made as (
           insert into interns (id, organization_id, workspace_id, creator, name, description, instructions,
             attached_vault_id, request_hash, created_at, updated_at)
           select :id::uuid, :organizationId::uuid, :workspaceId::uuid, :creator, :name, :description, :instructions,
             :attachedVaultId::uuid, :requestHash, t.now, t.now
           from (select clock_timestamp() as now) t
           on conflict (workspace_id, creator, name) do nothing returning id, organization_id, workspace_id, created_at
         )
         insert into vaults (id, organization_id, workspace_id, intern_id, sealed_key, created_at)
         select :vaultId::uuid, organization_id, workspace_id, id, :sealedKey, created_at from made`,
        { ...intern, vaultId: vault.id, sealedKey: vault.sealedKey },
      ),

    /**
     * Changes an intern. Returns `name_taken` if the creator has another intern of that name, which aborts the
     * transaction.
     */
    async update(
      { id, workspaceId }: Pick<Intern, 'id' | 'workspaceId'>,
      update: InternUpdate,
    ): Promise<Intern | 'name_taken'> {
      try {
        const columns = { ...columnsOf(update), updated_at: tables.raw('clock_timestamp()') };
        await run(handle, tables('interns').where({ id }).update(columns));
      } catch (error) {
        if (isUniqueViolation(error, 'interns_name')) return 'name_taken';
        throw error;
      }
      const updated = await findBy(handle, 'i.id', id, workspaceId, '');
      if (updated === null) throw new Error('a locked intern is not there');
      return updated;
    },

    /** Deletes an intern with its vault and the secrets in it. */
    async remove(id: string): Promise<void> {
      await run(handle, 'delete from interns where id = :id', { id });
    },
  };
}

export type InternStore = ReturnType<typeof createInternStore>;

const KNOWN_INTERN = {
  id: uuid,
  organizationId: uuid,
  workspaceId: uuid,
  vaultId: uuid,
  attachedVaultId: uuid.orNull,
};

/** Builds the methods that read interns. */
function internReads(handle: Handle) {
  return {
    /** Returns the intern of any organization, with the facts that signing and egress cache. */
    findKnown: (id: string): Promise<KnownIntern | null> =>
      firstRow(
        handle,
        KNOWN_INTERN,
        `select ${selectList(KNOWN_INTERN, 'i', { vaultId: 'v.id' })}
         from interns i join vaults v on v.intern_id = i.id where i.id = :id`,
        { id },
      ),

    find: (workspaceId: string, id: string): Promise<Intern | null> =>
      findBy(handle, 'i.id', id, workspaceId, ''),

    /** Returns the intern and locks it until the commit. */
    lock: (workspaceId: string, id: string): Promise<Intern | null> =>
      findBy(handle, 'i.id', id, workspaceId, 'for no key update of i'),

    /** Returns the intern and locks it until the commit, also against transactions that only hold it. */
    lockForRemoval: (workspaceId: string, id: string): Promise<Intern | null> =>
      findBy(handle, 'i.id', id, workspaceId, 'for update of i'),

    /** Returns the intern and prevents its deletion until the commit. */
    hold: (workspaceId: string, id: string): Promise<Intern | null> =>
      findBy(handle, 'i.id', id, workspaceId, 'for key share of i'),

    /** Returns the intern that owns the vault, and prevents the intern's deletion until the commit. */
    holdOwner: (workspaceId: string, vaultId: string): Promise<Intern | null> =>
      findBy(handle, 'v.id', vaultId, workspaceId, 'for key share of i'),

    /** Returns the intern that an earlier, equal request of the creator made. */
    findMade: (
      made: Pick<NewIntern, 'workspaceId' | 'creator' | 'name' | 'requestHash'>,
    ): Promise<Intern | null> =>
      firstRow(
        handle,
        INTERN,
        `${INTERNS} where i.workspace_id = :workspaceId and i.creator = :creator and i.name = :name
           and i.request_hash = :requestHash`,
        made,
      ),
  };
}

async function findBy(
  handle: Handle,
  column: 'i.id' | 'v.id',
  id: string,
  workspaceId: string,
  lock: string,
) {
  const statement = `${INTERNS} where ${column} = :id and i.workspace_id = :workspaceId ${lock}`;
  return firstRow(handle, INTERN, statement, { id, workspaceId });
}
