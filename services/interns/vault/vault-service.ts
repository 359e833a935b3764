import { createAuditStore } from '../../../db/accounts/audit-store.ts';
import type { Handle } from '../../../db/connection.ts';
import { createInternStore } from '../../../db/interns/intern-store.ts';
import { createVaultSecretStore } from '../../../db/interns/vault-secret-store.ts';
import { AppError } from '../../../domain/errors.ts';
import type { EffectiveMetadata, SecretMetadata } from '../../../domain/interns/vault.ts';
import { actorOf, type ClientFacts, type Principal } from '../../../domain/principal.ts';
import { hideFromInternKey, visibleIntern } from '../visible-intern.ts';
import { copySecrets } from './copy-secrets.ts';
import {
  listEffectiveSecrets,
  listInternSecrets,
  listWorkspaceSecrets,
  type Page,
  type SecretPage,
} from './list-secrets.ts';
import { putSecret, type PutSecretDeps, requireRoom, type SecretDraft } from './put-secret.ts';
import {
  lockInternVault,
  lockWorkspaceVault,
  lockWorkspaceVaults,
  type LockedVaults,
  type WritableVault,
} from './writable-vault.ts';

/** The key that writes, and the facts of its client. */
export interface SecretAuthor {
  principal: Principal;
  client: ClientFacts;
}

export interface VaultServiceDeps extends PutSecretDeps {
  knex: Handle;
  /** Makes this process read a vault again. */
  forgetVault(vaultId: string): void;
}

/**
 * The secrets of a key's workspace and of its interns. Values go in and are never returned. The same 404 answers for interns
 * that the key does not see, and for the workspace's secrets to an intern's key. Each write leaves an audit entry. This
 * process goes by a change before it answers, the others when the notice arrives, within a second.
 */
export function createVaultService(deps: VaultServiceDeps) {
  const { knex, encryption } = deps;
  const write = createWriter(deps);
  const putIn = async (transaction: Handle, vault: WritableVault, draft: SecretDraft) => {
    await requireRoom(transaction, vault, [draft.name], 'params.name');
    return putSecret(deps, transaction, vault, draft);
  };
  return {
    async listOfWorkspace(principal: Principal, page: Page): Promise<SecretPage<SecretMetadata>> {
      hideFromInternKey(principal);
      return listWorkspaceSecrets(knex, principal, page);
    },
    /** Stores or replaces a secret. 409 `vault_full` for a new name where the vault has no room. */
    putInWorkspace: (author: SecretAuthor, draft: SecretDraft): Promise<SecretMetadata> =>
      write(author, 'storeVaultSecret', async (transaction) => {
        const vault = await lockWorkspaceVault(transaction, author.principal, encryption);
        return { vaults: vault, names: [draft.name], result: await putIn(transaction, vault, draft) };
      }),
    deleteFromWorkspace: (author: SecretAuthor, name: string): Promise<void> =>
      write(author, 'deleteVaultSecret', async (transaction) => {
        const vaults = await lockWorkspaceVaults(transaction, author.principal);
        await deleteSecret(transaction, vaults, name);
        return { vaults, names: [name], result: undefined };
      }),
    listOfIntern: (principal: Principal, internId: string, page: Page): Promise<SecretPage<SecretMetadata>> =>
      listInternSecrets(knex, principal, internId, page),
    /** Stores or replaces a secret. 409 `vault_full` for a new name where the vault has no room. */
    putInIntern: (author: SecretAuthor, internId: string, draft: SecretDraft): Promise<SecretMetadata> =>
      write(author, 'storeInternVaultSecret', async (transaction) => {
        const vault = await lockInternVault(transaction, author.principal, internId);
        return { vaults: vault, names: [draft.name], result: await putIn(transaction, vault, draft) };
      }),
    deleteFromIntern: (author: SecretAuthor, internId: string, name: string): Promise<void> =>
      write(author, 'deleteInternVaultSecret', async (transaction) => {
        const vaults = await lockInternVault(transaction, author.principal, internId);
        await deleteSecret(transaction, vaults, name);
        return { vaults, names: [name], result: undefined };
      }),
    /** See `copySecrets`. */
    copyToIntern: (
      author: SecretAuthor,
      internId: string,
      names: readonly string[],
    ): Promise<SecretMetadata[]> =>
      write(author, 'copyVaultSecretsToIntern', async (transaction) => {
        const { principal } = author;
        const vault = await lockInternVault(transaction, principal, internId);
        const result = await copySecrets(deps, transaction, { principal, vault }, names);
        return { vaults: vault, names, result };
      }),
    /** Lists what the intern receives. 404 `attached_vault_unavailable` when the lender of its attached vault is gone. */
    effectiveSecrets: (
      principal: Principal,
      internId: string,
      page: Page,
    ): Promise<SecretPage<EffectiveMetadata>> => listEffectiveSecrets(knex, principal, internId, page),
    /** Returns the keys of the intern's connections, of which there are none. */
    async connections(principal: Principal, internId: string): Promise<{ key: string }[]> {
      await visibleIntern(createInternStore(knex).findKnown, principal, internId);
      return [];
    },
  };
}

/** The result of a write, with the facts that its audit entries need. */
interface Change<Result> {
  vaults: LockedVaults;
  /** The names of the secrets that were written. */
  names: readonly string[];
  result: Result;
}

/** Returns a function that runs writes, each in one transaction with its audit entries. */
function createWriter({ knex, forgetVault }: Pick<VaultServiceDeps, 'knex' | 'forgetVault'>) {
  return async <Result>(
    { principal, client }: SecretAuthor,
    action: string,
    work: (transaction: Handle) => Promise<Change<Result>>,
  ): Promise<Result> => {
    const { vaults, result } = await knex.transaction(async (transaction) => {
      const change = await work(transaction);
      const entries = change.names.map((name) => ({
        action,
        target: `${change.vaults.path}/secrets/${name}`,
      }));
      await createAuditStore(transaction).insert(actorOf(principal, client), ...entries);
      return change;
    });
    for (const id of vaults.ids) forgetVault(id);
    return result;
  };
}

async function deleteSecret(transaction: Handle, { ids }: LockedVaults, name: string): Promise<void> {
  const isDeleted = await createVaultSecretStore(transaction).delete(ids, name);
  if (!isDeleted) throw new AppError('not_found');
}
