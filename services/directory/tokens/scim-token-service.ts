import { createAuditStore } from '../../../db/accounts/audit-store.ts';
import { createTokenStore } from '../../../db/directory/token-store.ts';
import type { ScimToken } from '../../../domain/directory/scim-token.ts';
import { AppError } from '../../../domain/errors.ts';
import { UUID_PATTERN } from '../../../domain/ids.ts';
import type { Actor } from '../../../domain/principal.ts';
import type { OnceAnswer } from '../../idempotency/answer-once.ts';
import {
  createScimToken,
  type CreateScimTokenDeps,
  type CreateScimTokenOptions,
} from './create-scim-token.ts';

/** Manages the tokens with which identity providers call the SCIM server. */
export interface ScimTokenService {
  create(actor: Actor, label: string, options: CreateScimTokenOptions): Promise<OnceAnswer>;
  list(organizationId: string): Promise<ScimToken[]>;
  /** Revokes a token: the next request with it is refused. 404 for one that the organization does not have. */
  remove(actor: Actor, id: string): Promise<void>;
}

export function createScimTokenService(deps: CreateScimTokenDeps): ScimTokenService {
  const { knex } = deps;
  return {
    create: (actor, label, options) => createScimToken(deps, actor, label, options),
    list: (organizationId) => createTokenStore(knex).list(organizationId),
    async remove(actor, id) {
      if (!UUID_PATTERN.test(id)) throw new AppError('not_found');
      const target = `scim/tokens/${id.toLowerCase()}`;
      await knex.transaction(async (transaction) => {
        if (!(await createTokenStore(transaction).delete(actor.organizationId, id))) {
          throw new AppError('not_found');
        }
        await createAuditStore(transaction).insert(actor, { action: 'deleteScimToken', target });
      });
    },
  };
}
