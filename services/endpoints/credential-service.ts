import { createCredentialStore } from '../../db/endpoints/credential-store.ts';
import type { ByokCredential } from '../../domain/endpoints/byok-credential.ts';
import { AppError } from '../../domain/errors.ts';
import { UUID_PATTERN } from '../../domain/ids.ts';
import type { Actor } from '../../domain/principal.ts';
import type { OnceAnswer } from '../idempotency/answer-once.ts';
import { found, queriedWorkspaceId } from '../workspaces/find-workspace.ts';
import type { Page } from '../workspaces/workspace-service.ts';
import { checkLists } from './check-lists.ts';
import {
  createCredential,
  type CreateCredentialDeps,
  type CreateCredentialOptions,
  type CredentialAuthor,
} from './create-credential.ts';
import type { CredentialChanges, CredentialDraft } from './credential-draft.ts';
import { removeCredential } from './remove-credential.ts';
import { updateCredential } from './update-credential.ts';

/**
 * The keys of vendors that an organization brought. The same 404 answers for every id that names none of them. Each write
 * leaves an audit row. No secret is decrypted here, so that one that does not open disturbs nothing. Every process learns
 * of a change by a notice, within a second.
 */
export interface CredentialService {
  /**
   * Lists the credentials of a workspace and the organization-wide ones, in the order in which they are tried. 400 for a
   * workspace that the organization does not have.
   */
  list(
    organizationId: string,
    query: Page & { workspaceId?: string; providerSlug?: string },
  ): Promise<{ credentials: ByokCredential[]; totalCount: number }>;
  get(organizationId: string, id: string): Promise<ByokCredential>;
  /** See `createCredential`. */
  create(
    author: CredentialAuthor,
    draft: CredentialDraft,
    options: CreateCredentialOptions,
  ): Promise<OnceAnswer>;
  /** See `updateCredential`. */
  update(actor: Actor, id: string, changes: CredentialChanges): Promise<ByokCredential>;
  /** Deletes the credential with its secret. */
  remove(actor: Actor, id: string): Promise<void>;
}

export function createCredentialService(deps: CreateCredentialDeps): CredentialService {
  const { knex } = deps;
  const store = createCredentialStore(knex);
  return {
    async list(organizationId, { workspaceId: asked, providerSlug, ...page }) {
      const workspaceId = await queriedWorkspaceId(knex, organizationId, asked);
      const filter = { workspaceId, ...(providerSlug === undefined ? {} : { providerSlug }) };
      return store.list(organizationId, filter, page);
    },
    get: async (organizationId, id) => found(await store.find(organizationId, idOf(id))),
    create: (author, draft, options) => createCredential(deps, author, draft, options),
    async update(actor, id, changes) {
      const { fields, issues } = await checkLists(deps, actor.organizationId, changes);
      return knex.transaction((transaction) =>
        updateCredential(deps, transaction, actor, idOf(id), fields, issues),
      );
    },
    remove: (actor, id) => knex.transaction((transaction) => removeCredential(transaction, actor, idOf(id))),
  };
}

/** Text that can be no id is answered like an unknown id. */
function idOf(text: string): string {
  if (!UUID_PATTERN.test(text)) throw new AppError('not_found');
  return text;
}
