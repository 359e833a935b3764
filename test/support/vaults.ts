import { createHmac } from 'node:crypto';
import type pg from 'pg';
import { newUuid } from '../../domain/ids.ts';
import { secretValueContext } from '../../domain/interns/vault.ts';
import { createEncryption } from '../../platform/encryption.ts';
import { newVault, vaultKeyContext } from '../../services/interns/vault/new-vault.ts';
import type { Place } from './accounts.ts';
import type { Gateway } from './gateway.ts';

/** The part of a gateway that is needed to put rows into its vaults. */
export interface VaultGateway extends Place {
  database: Pick<pg.Pool, 'query'>;
  config: Pick<Gateway['config'], 'encryption'>;
}

export interface StoredIntern extends Place {
  id: string;
  vaultId: string;
}

/** Inserts an intern with its vault, in the gateway's own workspace unless the facts say otherwise. */
export async function addIntern(
  gateway: VaultGateway,
  facts: Partial<Place> & { attachedVaultId?: string } = {},
): Promise<StoredIntern> {
  const { organizationId, workspaceId, attachedVaultId } = {
    organizationId: gateway.organizationId,
    workspaceId: gateway.workspaceId,
    attachedVaultId: null,
    ...facts,
  };
  const id = newUuid();
  await gateway.database.query(
    `insert into interns (id, organization_id, workspace_id, creator, name, attached_vault_id, request_hash)
     values ($1, $2, $3, 'somebody', $4, $5, '')`,
    [id, organizationId, workspaceId, id, attachedVaultId],
  );
  const vaultId = await addVault(gateway, { organizationId, workspaceId, internId: id });
  return { id, vaultId, organizationId, workspaceId };
}

/** Inserts a vault: an intern's, a workspace's, or without a workspace the one from before there were workspaces. */
export async function addVault(
  gateway: VaultGateway,
  {
    organizationId,
    workspaceId,
    internId,
  }: { organizationId: string; workspaceId?: string; internId?: string },
): Promise<string> {
  const { id, sealedKey } = newVault(createEncryption(gateway.config.encryption));
  await gateway.database.query(
    'insert into vaults (id, organization_id, workspace_id, intern_id, sealed_key) values ($1, $2, $3, $4, $5)',
    [id, organizationId, workspaceId ?? null, internId ?? null, sealedKey],
  );
  return id;
}

/** Inserts a secret as an earlier version stored it: without a fingerprint, and without hosts unless they are given. */
export async function addSecret(
  gateway: VaultGateway,
  vaultId: string,
  name: string,
  { value = `value of ${name}`, hosts = null }: { value?: string; hosts?: string[] | null } = {},
): Promise<void> {
  const sealed = createEncryption(gateway.config.encryption).seal(value, secretValueContext(vaultId, name));
  await gateway.database.query(
    `insert into vault_secrets (vault_id, name, hosts, sealed_value, version) values ($1, $2, $3, $4, $5)`,
    [vaultId, name, hosts, sealed, newUuid()],
  );
}

/** Deletes an intern with its vault, as the API does. */
export async function dropIntern(
  { database }: VaultGateway,
  { id }: Pick<StoredIntern, 'id'>,
): Promise<void> {
  await database.query('delete from interns where id = $1', [id]);
}

/** Opens the value of a secret; undefined where there is none. */
export async function storedValue(
  gateway: VaultGateway,
  vaultId: string,
  name: string,
): Promise<string | undefined> {
  const { rows } = await gateway.database.query<{ sealed_value: string }>(
    'select sealed_value from vault_secrets where vault_id = $1 and name = $2',
    [vaultId, name],
  );
  const sealed = rows[0]?.sealed_value;
  const { open } = createEncryption(gateway.config.encryption);
  return sealed === undefined ? undefined : open(sealed, secretValueContext(vaultId, name)).toString('utf8');
}

/** Computes the fingerprint that a value has in a vault. */
export async function fingerprintOf(gateway: VaultGateway, vaultId: string, value: string): Promise<string> {
  const { rows } = await gateway.database.query<{ sealed_key: string }>(
    'select sealed_key from vaults where id = $1',
    [vaultId],
  );
  const { open } = createEncryption(gateway.config.encryption);
  const key = open(rows[0]!.sealed_key, vaultKeyContext(vaultId));
  return `sha256:${createHmac('sha256', key).update(value).digest('hex')}`;
}
