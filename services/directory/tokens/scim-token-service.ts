/** Creates, lists and revokes the bearer tokens with which identity providers call the SCIM server. */
import { createAuditStore } from '../../../db/accounts/audit-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import { createTokenStore } from '../../../db/directory/token-store.ts';
import { MAX_SCIM_TOKENS, type ScimToken } from '../../../domain/directory/scim-token.ts';
import { AppError } from '../../../domain/errors.ts';
import { newUuid } from '../../../domain/ids.ts';
import type { Actor } from '../../../domain/principal.ts';
import type { Encryption } from '../../../platform/encryption.ts';
import { doOnce, type OnceAnswer, type OnceOptions } from '../../answer-once.ts';
import { requireId } from '../../require-found.ts';
import { newScimToken } from './new-scim-token.ts';

export interface CreatedScimToken {
  record: ScimToken;
  /** The token, which is shown only now. */
  token: string;
}

export interface ScimTokenServiceDeps {
  knex: Handle;
  encryption: Pick<Encryption, 'seal' | 'open'>;
}

const OPERATION = 'createScimToken';

/** Manages the tokens with which identity providers call the SCIM server. */
export function createScimTokenService({ knex, encryption }: ScimTokenServiceDeps) {
  return {
    /** Creates a token for an identity provider. Throws 400 above the limit of the organization. */
    create(actor: Actor, label: string, once: OnceOptions<CreatedScimToken>): Promise<OnceAnswer> {
      const scope = { organizationId: actor.organizationId, workspaceId: null, operation: OPERATION };
      const make = (transaction: Handle) => insertScimToken(transaction, actor, label);
      return doOnce({ knex, encryption, scope, make }, once);
    },
    list: (organizationId: string): Promise<ScimToken[]> => createTokenStore(knex).list(organizationId),
    /** Revokes a token: the next request with it is refused. 404 for one that the organization does not have. */
    async remove(actor: Actor, id: string): Promise<void> {
      const target = `scim/tokens/${requireId(id).toLowerCase()}`;
      await knex.transaction(async (transaction) => {
        if (!(await createTokenStore(transaction).delete(actor.organizationId, id))) {
          throw new AppError('not_found');
        }
        await createAuditStore(transaction).insert(actor, { action: 'deleteScimToken', target });
      });
    },
  };
}

export type ScimTokenService = ReturnType<typeof createScimTokenService>;

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
