/** Finds the vaults of interns and workspaces, and locks them for a change of their secrets. */
import type { Handle } from '../postgres/connection.ts';
import { firstRow } from '../postgres/results.ts';
import { bool, json, type RowOf, selectList, text, uuid } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';

/** A workspace of an organization. */
export interface VaultPlace {
  organizationId: string;
  workspaceId: string;
}

/** The existing vaults of a workspace. */
export interface WorkspaceVaultIds {
  ownId: string | null;
  /** The organization's vault, created before workspaces existed; only the default workspace uses it. */
  beforeWorkspacesId: string | null;
}

/** A vault with its encrypted fingerprint key. */
export interface SealedVault {
  id: string;
  sealedKey: string;
}

const SEALED_VAULT = { id: uuid, sealedKey: text };

/** The names of secrets in some vaults. */
export interface VaultNames extends WorkspaceVaultIds {
  /** Contains each existing vault, even without secrets. */
  byVault: ReadonlyMap<string, readonly string[]>;
}

const NAMES_OF_VAULT = { id: uuid, isOwn: bool, ofIntern: bool, names: json<string[]>().orNull };
const NAMES = `
  select v.id, v.workspace_id is not null "isOwn", v.intern_id is not null "ofIntern",
    (select json_agg(s.name) from vault_secrets s where s.vault_id = v.id) names
  from vaults v`;

/** Finds each vault by its own index. */
const IDS_OF_WORKSPACE = `
  select id from vaults where workspace_id = :workspaceId and intern_id is null
  union all
  select id from vaults where workspace_id is null and organization_id = (
    select w.organization_id from workspaces w
    where w.id = :workspaceId and w.organization_id = :organizationId and w.is_default)`;
const OF_WORKSPACE = `from vaults v where v.id in (${IDS_OF_WORKSPACE})`;

/** Reads and locks vaults, without decryption. */
export function createVaultStore(handle: Handle) {
  return {
    ...vaultLocks(handle),

    async ofWorkspace({ organizationId, workspaceId }: VaultPlace): Promise<WorkspaceVaultIds> {
      const rows = await rowsOf(
        handle,
        { id: uuid, isOwn: bool },
        `select v.id, v.workspace_id is not null "isOwn" ${OF_WORKSPACE}`,
        { organizationId, workspaceId },
      );
      return idsOf(rows);
    },

    /** Inserts the vault of a workspace, unless it has one. */
    async insertOfWorkspace({ organizationId, workspaceId }: VaultPlace, vault: SealedVault): Promise<void> {
      await run(
        handle,
        `insert into vaults (id, organization_id, workspace_id, sealed_key)
         values (:id, :organizationId, :workspaceId, :sealedKey)
         on conflict (workspace_id) where intern_id is null do nothing`,
        { id: vault.id, organizationId, workspaceId, sealedKey: vault.sealedKey },
      );
    },

    /** Returns the names in each existing vault. */
    async names(ids: readonly string[]): Promise<VaultNames> {
      const statement = `${NAMES} where v.id = any(:ids::uuid[])`;
      return toNames(await rowsOf(handle, NAMES_OF_VAULT, statement, { ids }));
    },

    /** Returns the names in each existing vault, and in those of a workspace. */
    async namesWith(
      ids: readonly string[],
      { organizationId, workspaceId }: VaultPlace,
    ): Promise<VaultNames> {
      const statement = `${NAMES} where v.id in (select unnest(:ids::uuid[]) union all ${IDS_OF_WORKSPACE})`;
      return toNames(await rowsOf(handle, NAMES_OF_VAULT, statement, { ids, organizationId, workspaceId }));
    },
  };
}

export type VaultStore = ReturnType<typeof createVaultStore>;

/** Builds the methods that lock vaults. */
function vaultLocks(handle: Handle) {
  return {
    /** Returns the vault of an intern and locks it until the commit. */
    lockOfIntern: (internId: string): Promise<SealedVault | null> =>
      firstRow(
        handle,
        SEALED_VAULT,
        `select ${selectList(SEALED_VAULT)} from vaults where intern_id = :internId for no key update`,
        { internId },
      ),

    /** Returns the vaults of a workspace and locks them until the commit. */
    async lockOfWorkspace({ organizationId, workspaceId }: VaultPlace): Promise<{
      own: SealedVault | null;
      beforeWorkspaces: SealedVault | null;
    }> {
      const rows = await rowsOf(
        handle,
        { ...SEALED_VAULT, isOwn: bool },
        `select ${selectList(SEALED_VAULT, 'v')}, v.workspace_id is not null "isOwn"
         ${OF_WORKSPACE} order by v.id for no key update of v`,
        { organizationId, workspaceId },
      );
      return {
        own: rows.find(({ isOwn }) => isOwn) ?? null,
        beforeWorkspaces: rows.find(({ isOwn }) => !isOwn) ?? null,
      };
    },
  };
}

function idsOf(rows: readonly { id: string; isOwn: boolean }[]): WorkspaceVaultIds {
  return {
    ownId: rows.find(({ isOwn }) => isOwn)?.id ?? null,
    beforeWorkspacesId: rows.find(({ isOwn }) => !isOwn)?.id ?? null,
  };
}

function toNames(rows: readonly RowOf<typeof NAMES_OF_VAULT>[]): VaultNames {
  return {
    ...idsOf(rows.filter(({ ofIntern }) => !ofIntern)),
    byVault: new Map(rows.map(({ id, names }) => [id, names ?? []])),
  };
}
