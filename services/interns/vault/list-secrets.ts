/** Lists the secrets of workspaces and interns by name, without their values. */
import type { Handle } from '../../../db/postgres/connection.ts';
import { createInternStore } from '../../../db/interns/intern-store.ts';
import {
  createVaultSecretStore,
  type SecretReference,
  type StoredSecret,
} from '../../../db/interns/vault-secret-store.ts';
import { createVaultStore, type VaultNames } from '../../../db/interns/vault-store.ts';
import { effectiveSecrets, workspaceSecrets } from '../../../domain/interns/effective-secrets.ts';
import type { KnownIntern } from '../../../domain/interns/intern.ts';
import type { EffectiveMetadata, SecretMetadata } from '../../../domain/interns/vault.ts';
import type { Principal } from '../../../domain/principal.ts';
import { hideFromInternKey, visibleIntern } from '../visible-intern.ts';
import { attachedVaultUnavailable } from './attached-vault-unavailable.ts';

export interface Page {
  limit: number;
  offset: number;
}

export interface SecretPage<Secret> {
  secrets: Secret[];
  hasMore: boolean;
}

/**
 * The largest number of reads of one page. A page is read again when its secrets were deleted after the names were
 * read.
 */
const MAX_READS = 3;

type Names = ReadonlyMap<string, SecretReference>;

/** Creates the lists of secrets. */
export function createSecretLists(knex: Handle) {
  const vaults = createVaultStore(knex);
  return {
    /** Lists the secrets of a workspace by name. */
    async listOfWorkspace(principal: Principal, page: Page): Promise<SecretPage<SecretMetadata>> {
      hideFromInternKey(principal);
      return readPage(knex, page, async () => sorted(ofWorkspace(await vaults.namesWith([], principal))));
    },
    /** Lists the secrets in an intern's own vault by name. */
    listOfIntern(principal: Principal, internId: string, page: Page): Promise<SecretPage<SecretMetadata>> {
      return readPage(knex, page, async () => {
        const { vaultId } = await internOf(knex, principal, internId);
        return sorted(ofVault(await vaults.names([vaultId]), vaultId));
      });
    },
    /**
     * Lists the secrets that the intern receives, by name. Throws 404 `attached_vault_unavailable` when its attached
     * vault was deleted.
     */
    effectiveSecrets(
      principal: Principal,
      internId: string,
      page: Page,
    ): Promise<SecretPage<EffectiveMetadata>> {
      return readPage(knex, page, async () => {
        const { vaultId, attachedVaultId } = await internOf(knex, principal, internId);
        const ids = [vaultId, attachedVaultId].filter((id) => id !== null);
        const found = await vaults.namesWith(ids, principal);
        if (attachedVaultId !== null && !found.byVault.has(attachedVaultId)) throw attachedVaultUnavailable();
        return effectiveSecrets({
          intern: ofVault(found, vaultId),
          attached: ofVault(found, attachedVaultId),
          workspace: ofWorkspace(found),
        });
      });
    },
  };
}

function internOf(knex: Handle, principal: Principal, internId: string): Promise<KnownIntern> {
  return visibleIntern(createInternStore(knex).findKnown, principal, internId);
}

/** Returns references to the secrets of a vault. Names are enough to decide which secrets are on a page. */
function ofVault({ byVault }: VaultNames, vaultId: string | null): Names {
  if (vaultId === null) return new Map();
  return new Map((byVault.get(vaultId) ?? []).map((name) => [name, { vaultId, name }]));
}

function ofWorkspace(names: VaultNames): Names {
  return workspaceSecrets(ofVault(names, names.ownId), ofVault(names, names.beforeWorkspacesId));
}

/** Orders references by the bytes of their names, which are ASCII. */
function sorted(names: Names): SecretReference[] {
  return [...names.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Reads the names of a list, and then one page of it in full. */
async function readPage<Reference extends SecretReference>(
  knex: Handle,
  { limit, offset }: Page,
  readAll: () => Promise<readonly Reference[]>,
): Promise<SecretPage<Reference & StoredSecret>> {
  for (let reads = 1; ; reads += 1) {
    const all = await readAll();
    const page = all.slice(offset, offset + limit);
    const secrets = await complete(knex, page);
    // A transaction would read one snapshot, but would cost two more round trips.
    if (secrets.length === page.length || reads === MAX_READS) {
      return { secrets, hasMore: all.length > offset + limit };
    }
  }
}

/** Reads secrets in the order of the references, without deleted ones. */
async function complete<Reference extends SecretReference>(
  knex: Handle,
  references: readonly Reference[],
): Promise<(Reference & StoredSecret)[]> {
  const stored = await createVaultSecretStore(knex).find(references);
  const byName = new Map(stored.map((secret) => [secret.name, secret]));
  return references.flatMap((reference) => {
    const secret = byName.get(reference.name);
    return secret === undefined ? [] : [{ ...reference, ...secret }];
  });
}
