import { createAuditStore } from '../../../db/accounts/audit-store.ts';
import { createTokenStore } from '../../../db/directory/token-store.ts';
import type { ScimToken } from '../../../domain/directory/scim-token.ts';
import { AppError } from '../../../domain/errors.ts';
import { requireId } from '../../require-found.ts';
import type { Actor } from '../../../domain/principal.ts';
import type { OnceAnswer, OnceOptions } from '../../answer-once.ts';
import { type CreatedScimToken, createScimToken, type CreateScimTokenDeps } from './create-scim-token.ts';

/** Manages the tokens with which identity providers call the SCIM server. */
export function createScimTokenService(deps: CreateScimTokenDeps) {
  const { knex } = deps;
  return {
    create: (actor: Actor, label: string, once: OnceOptions<CreatedScimToken>): Promise<OnceAnswer> =>
      createScimToken(deps, actor, label, once),
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
