/** Stores an organization's own key of a provider, encrypted. */
import { createAuditStore } from '../../db/accounts/audit-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { createCredentialStore, type CredentialSet } from '../../db/endpoints/credential-store.ts';
import { createWorkspaceStore } from '../../db/accounts/workspace-store.ts';
import { type ByokCredential, MAX_CREDENTIALS_OF_WORKSPACE } from '../../domain/endpoints/byok-credential.ts';
import { invalidRequest, type Issue } from '../../domain/errors.ts';
import { newUuid } from '../../domain/ids.ts';
import { actorOf, type Caller } from '../../domain/principal.ts';
import type { Encryption } from '../../platform/encryption.ts';
import { doOnce, type OnceAnswer, type OnceOptions } from '../answer-once.ts';
import { defaultWorkspaceId, foreignWorkspace } from '../accounts/workspaces/find-workspace.ts';
import { issuesOfFlags, type CredentialDraft } from './credential-draft.ts';
import { checkLists, type CheckListsDeps } from './check-lists.ts';
import { checkSecret, type CheckSecretDeps } from './check-secret.ts';
import { sealSecret } from './seal-secret.ts';

export interface CreateCredentialDeps {
  knex: Handle;
  encryption: Pick<Encryption, 'seal'>;
  catalog: CheckListsDeps['catalog'] & CheckSecretDeps['catalog'];
  credentials: CheckSecretDeps['credentials'];
  checkUrl: CheckSecretDeps['checkUrl'];
}

const OPERATION = 'createByokKey';

/**
 * Stores a key of a vendor after the others of its workspace. Throws a 400 with all rules that the draft breaks. The
 * answer is stored for retries and therefore must not contain the secret.
 */
export async function createCredential(
  deps: CreateCredentialDeps,
  caller: Caller,
  { workspaceId: requestedId, ...draft }: CredentialDraft,
  once: OnceOptions<ByokCredential>,
): Promise<OnceAnswer> {
  const { knex } = deps;
  const { organizationId } = caller.principal;
  const workspaceId =
    requestedId === undefined ? await defaultWorkspaceId(knex, organizationId) : requestedId;
  return doOnce(
    {
      knex,
      scope: { organizationId, workspaceId, operation: OPERATION },
      check: () => checkLists(deps, organizationId, draft),
      make: (transaction, { fields, issues }) =>
        insert(deps, transaction, caller, { ...fields, workspaceId }, issues),
    },
    once,
  );
}

async function insert(
  deps: CreateCredentialDeps,
  transaction: Handle,
  caller: Caller,
  { key, ...draft }: CredentialDraft & Pick<CredentialSet, 'workspaceId'>,
  issuesOfLists: readonly Issue[],
): Promise<ByokCredential> {
  const { organizationId } = caller.principal;
  const { apiKey, origin, issues } = checkSecret(deps, { ...draft, key });
  issues.push(...issuesOfFlags(draft, draft), ...issuesOfLists);
  issues.push(...(await issuesOfPlace(transaction, { organizationId, workspaceId: draft.workspaceId })));
  if (apiKey === undefined || issues.length > 0) throw invalidRequest(...issues);
  const id = newUuid();
  const secret = sealSecret(deps.encryption, id, { key, apiKey, origin });
  const made = await createCredentialStore(transaction).insert({ ...draft, ...secret, id, organizationId });
  const actor = actorOf(caller);
  await createAuditStore(transaction).insert(actor, { action: OPERATION, target: `byok/${id}` });
  return made;
}

/**
 * Locks the set of a new credential until the commit, and returns the issue if the set is full or belongs to another
 * organization.
 */
async function issuesOfPlace(transaction: Handle, set: CredentialSet): Promise<Issue[]> {
  const { organizationId, workspaceId } = set;
  const store = createCredentialStore(transaction);
  if (workspaceId === null) await store.lockOrganizationWide(organizationId);
  else {
    const workspace = await createWorkspaceStore(transaction).lock(organizationId, { id: workspaceId });
    if (workspace === null) return [foreignWorkspace('body')];
  }
  if ((await store.count(set)) < MAX_CREDENTIALS_OF_WORKSPACE) return [];
  const owner = workspaceId === null ? 'the organization as a whole' : 'the workspace';
  const message = `${owner} has ${MAX_CREDENTIALS_OF_WORKSPACE} credentials already, which is the limit`;
  return [{ path: 'body.workspace_id', message }];
}
