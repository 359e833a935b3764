/** Reads and writes the encrypted secrets that interns use in requests. */
import type { SecretMetadata } from '../../domain/interns/vault.ts';
import type { Handle } from '../postgres/connection.ts';
import { anyRows, countRows, oneRow } from '../postgres/results.ts';
import { selectList, text, texts, timestamptz, uuid } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';

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

const STORED_SECRET = {
  vaultId: uuid,
  name: text,
  hosts: texts.orNull,
  fingerprint: text.orNull,
  createdAt: timestamptz,
};
const METADATA = selectList(STORED_SECRET, 's');

/** Stores the secrets of vaults, encrypted. A caller that writes holds the lock of the vault. */
export function createVaultSecretStore(handle: Handle) {
  return {
    ...secretReads(handle),

    /** Stores a secret. An existing secret of that name is replaced, but its `createdAt` stays. */
    put: (secret: NewSecret): Promise<StoredSecret> =>
      oneRow(
        handle,
        STORED_SECRET,
        `insert into vault_secrets as s (vault_id, name, hosts, fingerprint, sealed_value, version)
         values (:vaultId, :name, :hosts::text[], :fingerprint, :sealedValue, :version)
         on conflict (vault_id, name) do update set hosts = excluded.hosts, fingerprint = excluded.fingerprint,
           sealed_value = excluded.sealed_value, version = excluded.version, updated_at = clock_timestamp()
         returning ${METADATA}`,
        { ...secret },
      ),

    /**
     * Moves the secret of this name to another vault, or deletes it if that vault has the name. Its value does not
     * decrypt there: the caller replaces it in the same transaction.
     */
    async move(name: string, fromVaultId: string, toVaultId: string): Promise<void> {
      await run(
        handle,
        `with moved as (delete from vault_secrets where vault_id = :fromVaultId and name = :name returning *)
         insert into vault_secrets (vault_id, name, hosts, fingerprint, sealed_value, version, created_at)
         select :toVaultId::uuid, name, hosts, fingerprint, sealed_value, version, created_at from moved
         on conflict (vault_id, name) do nothing`,
        { name, fromVaultId, toVaultId },
      );
    },

    /** Deletes the secrets of this name from the vaults. Returns whether there was one. */
    async delete(vaultIds: readonly string[], name: string): Promise<boolean> {
      const statement = 'delete from vault_secrets where vault_id = any(:vaultIds::uuid[]) and name = :name';
      return anyRows(handle, statement, { vaultIds, name });
    },
  };
}

export type VaultSecretStore = ReturnType<typeof createVaultSecretStore>;

/** Builds the methods that read secrets. */
function secretReads(handle: Handle) {
  return {
    ...secretValues(handle),

    /** Finds secrets, in any order; missing ones are left out. */
    find: (references: readonly SecretReference[]): Promise<StoredSecret[]> =>
      rowsOf(
        handle,
        STORED_SECRET,
        `select ${METADATA} from vault_secrets s
         join unnest(:vaultIds::uuid[], :names::text[]) asked (vault_id, name)
           on s.vault_id = asked.vault_id and s.name = asked.name`,
        { vaultIds: references.map(({ vaultId }) => vaultId), names: references.map(({ name }) => name) },
      ),

    /** Finds the secrets of these names in the vaults. Others cannot replace or delete them before the commit. */
    holdAll: (vaultIds: readonly string[], names: readonly string[]): Promise<StoredSecret[]> =>
      rowsOf(
        handle,
        STORED_SECRET,
        `select ${METADATA} from vault_secrets s
         where s.vault_id = any(:vaultIds::uuid[]) and s.name = any(:names::text[]) for share`,
        { vaultIds, names },
      ),

    /** Counts the secrets of a vault that have other names. */
    countOthers: (vaultId: string, names: readonly string[]): Promise<number> =>
      countRows(handle, 'from vault_secrets where vault_id = :vaultId and name <> all(:names::text[])', {
        vaultId,
        names,
      }),
  };
}

/** Builds the methods that read sealed values. */
function secretValues(handle: Handle) {
  return {
    /** Returns all secrets of a vault without their values; null if there is no such vault. */
    async versions(vaultId: string): Promise<SecretVersion[] | null> {
      const rows = await rowsOf(
        handle,
        { name: text.orNull, hosts: texts.orNull, version: uuid.orNull },
        `select s.name, s.hosts, s.version
         from vaults v left join vault_secrets s on s.vault_id = v.id where v.id = :vaultId`,
        { vaultId },
      );
      if (rows.length === 0) return null;
      return rows.flatMap(({ name, hosts, version }) =>
        name === null || version === null ? [] : [{ vaultId, name, hosts, version }],
      );
    },

    /** Returns the encrypted value; null if the secret is gone or, if a version is given, was replaced. */
    async sealedValue({
      vaultId,
      name,
      version,
    }: SecretReference & { version?: string }): Promise<string | null> {
      const [row] = await rowsOf(
        handle,
        { sealedValue: text },
        `select sealed_value "sealedValue" from vault_secrets
         where vault_id = :vaultId and name = :name and version = coalesce(:version::uuid, version)`,
        { vaultId, name, version: version ?? null },
      );
      return row?.sealedValue ?? null;
    },
  };
}
