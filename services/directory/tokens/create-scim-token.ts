/** Creates the bearer token with which an identity provider calls the SCIM server. */
import { createAuditStore } from '../../../db/accounts/audit-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import { createTokenStore } from '../../../db/directory/token-store.ts';
import { MAX_SCIM_TOKENS, type ScimToken } from '../../../domain/directory/scim-token.ts';
import { AppError } from '../../../domain/errors.ts';
import { newUuid } from '../../../domain/ids.ts';
import type { Actor } from '../../../domain/principal.ts';
import type { Encryption } from '../../../platform/encryption.ts';
import { doOnce, type OnceAnswer, type OnceOptions } from '../../answer-once.ts';
import { newScimToken } from './new-scim-token.ts';

export interface CreatedScimToken {
  record: ScimToken;
  /** The token, which is shown only now. */
  token: string;
}

export interface CreateScimTokenDeps {
  knex: Handle;
  encryption: Pick<Encryption, 'seal' | 'open'>;
}

const OPERATION = 'createScimToken';

/** Creates a token for an identity provider. Throws 400 above the limit of the organization. */
export function createScimToken(
  { knex, encryption }: CreateScimTokenDeps,
  actor: Actor,
  label: string,
  once: OnceOptions<CreatedScimToken>,
): Promise<OnceAnswer> {
  const scope = { organizationId: actor.organizationId, workspaceId: null, operation: OPERATION };
  const make = (transaction: Handle) => insertScimToken(transaction, actor, label);
  return doOnce({ knex, encryption, scope, make }, once);
}

/** Stores a new token with its audit row. Counts under a lock, so that two requests cannot take the last place. */
export async function insertScimToken(
  transaction: Handle,
  actor: Actor,
  label: string,
): Promise<CreatedScimToken> {
  const { organizationId } = actor;
  const store = createTokenStore(transaction);
  await store.lock(organizationId);
  if ((await store.count(organizationId)) >= MAX_SCIM_TOKENS) {
    const message = `the organization has ${MAX_SCIM_TOKENS} tokens already, which is the limit`;
    throw new AppError('invalid_request', {
      reason: 'too_many_tokens',
      issues: [{ path: 'body', message }],
    });
  }
  const id = newUuid();
  const { token, hash } = newScimToken();
  const record = await store.insert({ id, organizationId, hash, label });
  await createAuditStore(transaction).insert(actor, { action: OPERATION, target: `scim/tokens/${id}` });
  return { record, token };
}
