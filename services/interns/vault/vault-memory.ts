/** Gives outbound requests of interns their secrets from memory, and caches the decrypted values. */
import { LRUCache } from 'lru-cache';
import type { SecretVersion, VaultSecretStore } from '../../../db/interns/vault-secret-store.ts';
import type { VaultPlace, VaultStore, WorkspaceVaultIds } from '../../../db/interns/vault-store.ts';
import { isPostgresDown } from '../../../db/postgres/outage.ts';
import { AppError } from '../../../domain/errors.ts';
import { type VaultsOf, workspaceSecrets } from '../../../domain/interns/effective-secrets.ts';
import type { KnownIntern } from '../../../domain/interns/intern.ts';
import { secretValueContext } from '../../../domain/interns/vault.ts';
import { createNoticedCache, type Notices } from '../../../platform/noticed-cache.ts';
import { requireFound } from '../../require-found.ts';
import { attachedVaultUnavailable } from './attached-vault-unavailable.ts';
import { openSealed, type OpenSealedDeps } from './open-sealed.ts';

/** A secret as outbound requests use it. */
export type KnownSecret = SecretVersion;

export interface VaultMemoryOptions extends OpenSealedDeps {
  vaults: Pick<VaultStore, 'ofWorkspace'>;
  secrets: Pick<VaultSecretStore, 'versions' | 'sealedValue'>;
  notices: Notices;
  now?: () => number;
}

const MAX_VAULTS = 50_000;
/** The largest size of the names and hosts in memory, in characters. */
const MAX_TEXT = 64 * 1024 * 1024;
/** The largest size of the opened values in memory, in bytes. */
const MAX_VALUE_BYTES = 32 * 1024 * 1024;
/** An estimate of the memory that a secret takes besides its texts, in bytes. */
const OVERHEAD = 200;

type Secrets = ReadonlyMap<string, KnownSecret>;

const NO_SECRETS: Secrets = new Map();

/** Caches the secrets that interns receive. It reads Postgres only for secrets that are not cached. */
export function createVaultMemory(options: VaultMemoryOptions) {
  const { vaults, workspaces } = createCaches(options);
  const values = new LRUCache<string, string>({
    maxSize: MAX_VALUE_BYTES,
    sizeCalculation: (value) => 2 * value.length + OVERHEAD,
  });
  const unopened = new LRUCache<string, true>({ max: MAX_VAULTS });
  const secretsOf = async (vaultId: string | null): Promise<Secrets> =>
    (vaultId === null ? null : await vaults.get(vaultId)) ?? NO_SECRETS;

  return {
    /**
     * Returns the secrets of the vaults of an intern, without values. Throws 404 for a deleted intern, and 404 with the
     * reason `attached_vault_unavailable` when the attached vault was deleted.
     */
    async vaultsOf({
      organizationId,
      workspaceId,
      vaultId,
      attachedVaultId,
    }: KnownIntern): Promise<VaultsOf<KnownSecret>> {
      const intern = requireFound(await vaults.get(vaultId));
      const attached = attachedVaultId === null ? NO_SECRETS : await vaults.get(attachedVaultId);
      if (attached === null) throw attachedVaultUnavailable();
      const ids = await workspaces.get(`${organizationId}/${workspaceId}`);
      const own = await secretsOf(ids?.ownId ?? null);
      const beforeWorkspaces = await secretsOf(ids?.beforeWorkspacesId ?? null);
      return { intern, attached, workspace: workspaceSecrets(own, beforeWorkspaces) };
    },
    /**
     * Returns the value of a secret. Throws 503 when the value cannot be opened, which is logged. Throws 503 also when
     * the secret was replaced or deleted meanwhile; `vaultsOf` then returns the current secrets.
     */
    async valueOf(secret: Omit<KnownSecret, 'hosts'>): Promise<string> {
      const { vaultId, name, version } = secret;
      const key = `${vaultId}/${name}/${version}`;
      const known = values.get(key);
      if (known !== undefined) return known;
      if (unopened.has(key)) throw new AppError('unavailable');
      const sealed = await options.secrets.sealedValue(secret);
      if (sealed === null) {
        vaults.forget(vaultId);
        throw new AppError('unavailable');
      }
      // Mark the value as unopened before the attempt, so that a missing key is logged once and not for each request.
      unopened.set(key, true);
      const value = openSealed(options, sealed, secretValueContext(vaultId, name)).toString('utf8');
      unopened.delete(key);
      values.set(key, value);
      return value;
    },
    /**
     * Removes a changed vault after a notice on `sluice_vaults`. The notice is the vault's id; when the vault
     * of a workspace was created or deleted, a blank and the workspace's place follow.
     */
    forget(notice: string): void {
      const [vaultId = '', place] = notice.split(' ');
      vaults.forget(vaultId);
      // The place of a vault from before workspaces ends with the slash, and concerns every workspace.
      if (place?.endsWith('/')) workspaces.forgetEach((key) => key.startsWith(place));
      else if (place !== undefined) workspaces.forget(place);
      // A value that was sealed again can perhaps be opened.
      unopened.clear();
    },
    /** Empties the cache, because notices may have been missed. */
    forgetAll(): void {
      vaults.forgetAll();
      workspaces.forgetAll();
      unopened.clear();
    },
  };
}

export type VaultMemory = ReturnType<typeof createVaultMemory>;

function createCaches(options: VaultMemoryOptions) {
  const { notices, now } = options;
  const common = { notices, isDown: isPostgresDown, now };
  const vaults = createNoticedCache<Secrets>({
    ...common,
    async read(vaultId) {
      const versions = await options.secrets.versions(vaultId);
      return versions && new Map(versions.map((secret) => [secret.name, secret]));
    },
    maxEntries: MAX_VAULTS,
    maxSize: MAX_TEXT,
    sizeOf: textOf,
    refreshesAhead: true,
  });
  const workspaces = createNoticedCache<WorkspaceVaultIds>({
    ...common,
    read: (key) => options.vaults.ofWorkspace(placeIn(key)),
    maxEntries: MAX_VAULTS,
    refreshesAhead: true,
  });
  return { vaults, workspaces };
}

function placeIn(key: string): VaultPlace {
  const [organizationId = '', workspaceId = ''] = key.split('/');
  return { organizationId, workspaceId };
}

function textOf(secrets: Secrets): number {
  let size = OVERHEAD;
  for (const { name, hosts } of secrets.values()) {
    size += OVERHEAD + name.length;
    for (const host of hosts ?? []) size += host.length;
  }
  return size;
}
