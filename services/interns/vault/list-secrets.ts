import type { Handle } from '../../../db/connection.ts';
import { createInternStore } from '../../../db/interns/intern-store.ts';
import {
  createVaultSecretStore,
  type SecretReference,
  type StoredSecret,
} from '../../../db/interns/vault-secret-store.ts';
import { createVaultStore, type VaultNames, type VaultPlace } from '../../../db/interns/vault-store.ts';
import { effectiveSecrets, workspaceSecrets } from '../../../domain/interns/effective-secrets.ts';
import type { KnownIntern } from '../../../domain/interns/intern.ts';
import type { EffectiveMetadata, SecretMetadata } from '../../../domain/interns/vault.ts';
import type { Principal } from '../../../domain/principal.ts';
import { visibleIntern } from '../visible-intern.ts';
import { attachedVaultUnavailable } from './attached-vault-unavailable.ts';

export interface Page {
  limit: number;
  offset: number;
}

export interface SecretPage<Secret> {
  secrets: Secret[];
  hasMore: boolean;
}

/** All reads of one list see the same moment. */
const SNAPSHOT = { isolationLevel: 'repeatable read', readOnly: true } as const;

type Names = ReadonlyMap<string, SecretReference>;

/** Lists the secrets of a workspace by name. */
export function listWorkspaceSecrets(
  knex: Handle,
  place: VaultPlace,
  page: Page,
): Promise<SecretPage<SecretMetadata>> {
  return knex.transaction(async (snapshot) => {
    const names = await createVaultStore(snapshot).namesWith([], place);
    return pageOf(snapshot, sorted(ofWorkspace(names)), page);
  }, SNAPSHOT);
}

/** Lists the secrets in an intern's own vault by name. */
export function listInternSecrets(
  knex: Handle,
  principal: Principal,
  internId: string,
  page: Page,
): Promise<SecretPage<SecretMetadata>> {
  return knex.transaction(async (snapshot) => {
    const { vaultId } = await internOf(snapshot, principal, internId);
    const names = await createVaultStore(snapshot).names([vaultId]);
    return pageOf(snapshot, sorted(ofVault(names, vaultId)), page);
  }, SNAPSHOT);
}

/** Lists the secrets that an intern receives, by name. 404 when its attached vault is gone. */
export function listEffectiveSecrets(
  knex: Handle,
  principal: Principal,
  internId: string,
  page: Page,
): Promise<SecretPage<EffectiveMetadata>> {
  return knex.transaction(async (snapshot) => {
    const { vaultId, attachedVaultId } = await internOf(snapshot, principal, internId);
    const ids = [vaultId, attachedVaultId].filter((id) => id !== null);
    const names = await createVaultStore(snapshot).namesWith(ids, principal);
    if (attachedVaultId !== null && !names.byVault.has(attachedVaultId)) throw attachedVaultUnavailable();
    const received = effectiveSecrets({
      intern: ofVault(names, vaultId),
      attached: ofVault(names, attachedVaultId),
      workspace: ofWorkspace(names),
    });
    return pageOf(snapshot, received, page);
  }, SNAPSHOT);
}

function internOf(snapshot: Handle, principal: Principal, internId: string): Promise<KnownIntern> {
  return visibleIntern(createInternStore(snapshot).findKnown, principal, internId);
}

/** Names alone decide which secrets of a list are on a page. */
function ofVault({ byVault }: VaultNames, vaultId: string | null): Names {
  const held = (vaultId === null ? undefined : byVault.get(vaultId)) ?? [];
  return new Map(vaultId === null ? [] : held.map((name) => [name, { vaultId, name }]));
}

function ofWorkspace(names: VaultNames): Names {
  return workspaceSecrets(ofVault(names, names.ownId), ofVault(names, names.beforeWorkspacesId));
}

/** Orders names by their bytes: they are ASCII. */
function sorted(names: Names): SecretReference[] {
  return [...names.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Completes one page of a list. */
async function pageOf<Reference extends SecretReference>(
  snapshot: Handle,
  all: readonly Reference[],
  { limit, offset }: Page,
): Promise<SecretPage<Reference & StoredSecret>> {
  const page = all.slice(offset, offset + limit);
  const stored = await createVaultSecretStore(snapshot).find(page);
  const byName = new Map(stored.map((secret) => [secret.name, secret]));
  const secrets = page.flatMap((reference) => {
    const secret = byName.get(reference.name);
    return secret === undefined ? [] : [{ ...reference, ...secret }];
  });
  return { secrets, hasMore: all.length > offset + limit };
}
