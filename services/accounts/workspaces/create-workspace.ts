/** Creates a workspace for a management key, or replays the answer of an identical request. */
import { createAuditStore } from '../../../db/accounts/audit-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import { createWebhookSecretStore } from '../../../db/webhooks/webhook-secret-store.ts';
import { createWorkspaceStore } from '../../../db/accounts/workspace-store.ts';
import { AppError, invalidRequest } from '../../../domain/errors.ts';
import { actorOf, type Caller } from '../../../domain/principal.ts';
import {
  MAX_WORKSPACES,
  MAX_WORKSPACES_EVER,
  type Workspace,
  type WorkspaceDraft,
} from '../../../domain/accounts/workspace.ts';
import type { Encryption } from '../../../platform/encryption.ts';
import { doOnce, type OnceOptions, type OnceAnswer } from '../../answer-once.ts';
import { newSealedSecret } from '../../webhooks/sealed-secret.ts';
import { checkCallbackUrl } from './callback-url.ts';

export interface CreateWorkspaceDeps {
  knex: Handle;
  encryption: Pick<Encryption, 'seal'>;
  /** Throws for a URL that will certainly be refused when it is called. */
  checkUrl(url: string): void;
}

const OPERATION = 'createWorkspace';

/**
 * Creates a workspace with its first webhook secret. No answer shows this secret; a customer who wants to verify
 * webhooks rotates it. Throws 400 for a taken slug, for a callback URL that can never be called, and above the
 * organization's limit of workspaces.
 */
export function createWorkspace(
  { knex, encryption, checkUrl }: CreateWorkspaceDeps,
  caller: Caller,
  draft: WorkspaceDraft,
  once: OnceOptions<Workspace>,
): Promise<OnceAnswer> {
  const { organizationId } = caller.principal;
  const scope = { organizationId, workspaceId: null, operation: OPERATION };
  const check = () => checkCallbackUrl(checkUrl, draft.defaultCallbackUrl);
  const make = (transaction: Handle) => insert(transaction, encryption, caller, draft);
  return doOnce({ knex, scope, check, make }, once);
}

export function slugTaken(): AppError {
  return invalidRequest({ path: 'body.slug', message: 'is the slug of another workspace' });
}

function tooMany(): AppError {
  const most = `${MAX_WORKSPACES} workspaces at once and ${MAX_WORKSPACES_EVER} in all`;
  const issue = { path: 'body', message: `would be one too many: an organization may have ${most}` };
  return new AppError('invalid_request', { reason: 'too_many_workspaces', issues: [issue] });
}

async function insert(
  transaction: Handle,
  encryption: Pick<Encryption, 'seal'>,
  caller: Caller,
  draft: WorkspaceDraft,
): Promise<Workspace> {
  const { organizationId, creatorUserId: createdBy = null } = caller.principal;
  const workspace = await createWorkspaceStore(transaction).insert({ ...draft, organizationId, createdBy });
  if (workspace === 'slug_taken') throw slugTaken();
  if (workspace === 'too_many') throw tooMany();
  const { id, sealedSecret } = newSealedSecret(encryption);
  await createWebhookSecretStore(transaction).insert({ id, sealedSecret, workspaceId: workspace.id });
  const entry = { action: OPERATION, target: `workspaces/${workspace.id}` };
  await createAuditStore(transaction).insert(actorOf(caller), entry);
  return workspace;
}
