/** Reads and writes the encrypted secrets that interns use in requests. */
import type { SecretMetadata } from '../../domain/interns/vault.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

/** Identifies one secret of one vault. */
export interface SecretReference {
  vaultId: string;
  name: string;
}

/** A secret with its place, as lists show it. */
export type StoredSecret = SecretReference & SecretMetadata;

/** A secret as requests use it, without its value. `version` changes with the value. */
export interface SecretVersion extends SecretReference {
  hosts: string[] | null;
  version: string;
}

export interface NewSecret extends SecretReference {
  hosts: readonly string[];
  fingerprint: string;
  sealedValue: string;
  version: string;
}

const METADATA = 's.vault_id "vaultId", s.name, s.hosts, s.fingerprint, s.created_at "createdAt"';

/** Stores the secrets of vaults, encrypted. A caller that writes holds the lock of the vault. */
export function createVaultSecretStore(handle: Handle) {
  return {
    ...secretReads(handle),

    /** Stores a secret. An existing secret of that name is replaced, but its `createdAt` stays. */
    async put({ vaultId, name, hosts, fingerprint, sealedValue, version }: NewSecret): Promise<StoredSecret> {
      const [stored] = await uncheckedRowsOf<StoredSecret>(
        handle,
        `insert into vault_secrets as s (vault_id, name, hosts, fingerprint, sealed_value, version)
         values (?, ?, ?::text[], ?, ?, ?)
         on conflict (vault_id, name) do update set hosts = excluded.hosts, fingerprint = excluded.fingerprint,
           sealed_value = excluded.sealed_value, version = excluded.version, updated_at = clock_timestamp()
         returning ${METADATA}`,
        [vaultId, name, [...hosts], fingerprint, sealedValue, version],
      );
      if (stored === undefined) throw new Error('insert returned no row');
      return stored;
    },

    /**
     * Moves the secret of this name to another vault, or deletes it if that vault has the name. Its value does not
     * decrypt there: the caller replaces it in the same transaction.
     */
    async move(name: string, fromVaultId: string, toVaultId: string): Promise<void> {
      await handle.raw(
        `with moved as (delete from vault_secrets where vault_id = ? and name = ? returning *)
         insert into vault_secrets (vault_id, name, hosts, fingerprint, sealed_value, version, created_at)
         select ?, name, hosts, fingerprint, sealed_value, version, created_at from moved
         on conflict (vault_id, name) do nothing`,
        [fromVaultId, name, toVaultId],
      );
    },

    /** Deletes the secrets of this name from the vaults. Returns whether there was one. */
    async delete(vaultIds: readonly string[], name: string): Promise<boolean> {
      const rows = await uncheckedRowsOf(
        handle,
        'delete from vault_secrets where vault_id = any(?::uuid[]) and name = ? returning 1',
        [[...vaultIds], name],
      );
      return rows.length > 0;
    },
  };
}

export type VaultSecretStore = ReturnType<typeof createVaultSecretStore>;

/** Builds the methods that read secrets. */
function secretReads(handle: Handle) {
  return {
    ...secretValues(handle),

    /** Finds secrets, in any order; missing ones are left out. */
    find(references: readonly SecretReference[]): Promise<StoredSecret[]> {
      return uncheckedRowsOf<StoredSecret>(
        handle,
        `select ${METADATA} from vault_secrets s
         join unnest(?::uuid[], ?::text[]) asked (vault_id, name)
           on s.vault_id = asked.vault_id and s.name = asked.name`,
        [references.map(({ vaultId }) => vaultId), references.map(({ name }) => name)],
      );
    },

    /** Finds the secrets of these names in the vaults. Others cannot replace or delete them before the commit. */
    holdAll(vaultIds: readonly string[], names: readonly string[]): Promise<StoredSecret[]> {
      return uncheckedRowsOf<StoredSecret>(
        handle,
        `select ${METADATA} from vault_secrets s
         where s.vault_id = any(?::uuid[]) and s.name = any(?::text[]) for share`,
        [[...vaultIds], [...names]],
      );
    },

    /** Counts the secrets of a vault that have other names. */
    async countOthers(vaultId: string, names: readonly string[]): Promise<number> {
      const [row] = await uncheckedRowsOf<{ n: string }>(
        handle,
        'select count(*) n from vault_secrets where vault_id = ? and name <> all(?::text[])',
        [vaultId, [...names]],
      );
      return Number(row?.n);
    },
  };
}

/** Builds the methods that read sealed values. */
function secretValues(handle: Handle) {
  return {
    /** Returns all secrets of a vault without their values; null if there is no such vault. */
    async versions(vaultId: string): Promise<SecretVersion[] | null> {
      const rows = await uncheckedRowsOf<SecretVersion | Record<keyof SecretVersion, null>>(
        handle,
        `select s.vault_id "vaultId", s.name, s.hosts, s.version
         from vaults v left join vault_secrets s on s.vault_id = v.id where v.id = ?`,
        [vaultId],
      );
      if (rows.length === 0) return null;
      return rows.filter((row): row is SecretVersion => row.vaultId !== null);
    },

    /** Returns the encrypted value; null if the secret is gone or, if a version is given, was replaced. */
    async sealedValue({
      vaultId,
      name,
      version,
    }: SecretReference & { version?: string }): Promise<string | null> {
      const [row] = await uncheckedRowsOf<{ sealedValue: string }>(
        handle,
        `select sealed_value "sealedValue" from vault_secrets
         where vault_id = ? and name = ? and version = coalesce(?::uuid, version)`,
        [vaultId, name, version ?? null],
      );
      return row?.sealedValue ?? null;
    },
  };
}
