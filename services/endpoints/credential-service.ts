/** Manages the own keys of an organization. */
import { createCredentialStore } from '../../db/endpoints/credential-store.ts';
import type { ByokCredential } from '../../domain/endpoints/byok-credential.ts';
import type { Actor, Caller } from '../../domain/principal.ts';
import type { OnceAnswer, OnceOptions } from '../answer-once.ts';
import { queriedWorkspaceId } from '../accounts/workspaces/find-workspace.ts';
import type { Page } from '../accounts/workspaces/workspace-service.ts';
import { requireFound, requireId } from '../require-found.ts';
import { checkLists } from './check-lists.ts';
import { createCredential, type CreateCredentialDeps } from './create-credential.ts';
import type { CredentialChanges, CredentialDraft } from './credential-draft.ts';
import { removeCredential, updateCredential } from './update-credential.ts';

export interface CredentialServiceDeps extends CreateCredentialDeps {
  /** Makes this process read the organization's endpoints and keys again. */
  forgetOwnResources(organizationId: string): void;
}

/**
 * Manages the keys of vendors that an organization brought. Any other id gets a 404. Each write leaves an audit row. No
 * method decrypts a secret, so a secret that cannot be opened causes no error. A change applies in this process before
 * the answer and in the others within a second, when the notice arrives.
 */
export function createCredentialService(deps: CredentialServiceDeps) {
  const { knex, forgetOwnResources } = deps;
  const store = createCredentialStore(knex);
  return {
    /**
     * Lists the credentials of a workspace and the organization-wide ones, in the order in which routing tries them.
     * Throws 400 for a workspace that the organization does not have.
     */
    async list(
      organizationId: string,
      {
        workspaceId: requestedId,
        providerSlug,
        ...page
      }: Page & { workspaceId?: string | undefined; providerSlug?: string | undefined },
    ): Promise<{ credentials: ByokCredential[]; totalCount: number }> {
      const workspaceId = await queriedWorkspaceId(knex, organizationId, requestedId);
      return store.list(organizationId, { workspaceId, providerSlug }, page);
    },
    get: async (organizationId: string, id: string): Promise<ByokCredential> =>
      requireFound(await store.find(organizationId, requireId(id))),
    /** Creates a credential; see `createCredential`. */
    async create(
      caller: Caller,
      draft: CredentialDraft,
      once: OnceOptions<ByokCredential>,
    ): Promise<OnceAnswer> {
      const answer = await createCredential(deps, caller, draft, once);
      forgetOwnResources(caller.principal.organizationId);
      return answer;
    },
    /** Changes a credential; see `updateCredential`. */
    async update(actor: Actor, id: string, changes: CredentialChanges): Promise<ByokCredential> {
      const { fields, issues } = await checkLists(deps, actor.organizationId, changes);
      const credential = await knex.transaction((transaction) =>
        updateCredential(deps, transaction, actor, requireId(id), fields, issues),
      );
      forgetOwnResources(actor.organizationId);
      return credential;
    },
    /** Deletes the credential with its secret. */
    async remove(actor: Actor, id: string): Promise<void> {
      await knex.transaction((transaction) => removeCredential(transaction, actor, requireId(id)));
      forgetOwnResources(actor.organizationId);
    },
  };
}

export type CredentialService = ReturnType<typeof createCredentialService>;
