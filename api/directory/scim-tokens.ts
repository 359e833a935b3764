/** Answers the operations on the bearer tokens of identity providers. */
import type {
  CreatedScimTokenAnswer,
  scimTokenOperations,
  ScimTokenRecord,
} from '../../contract/directory/scim-tokens.ts';
import type { ScimToken } from '../../domain/directory/scim-token.ts';
import { actorOf } from '../../domain/principal.ts';
import type {
  CreatedScimToken,
  ScimTokenService,
} from '../../services/directory/tokens/scim-token-service.ts';
import { answerIdempotently } from '../http/answer-idempotently.ts';
import type { RoutesOf } from '../http/route.ts';

export const scimTokenRoutes: RoutesOf<typeof scimTokenOperations, { scimTokens: ScimTokenService }> = {
  /** Handles `POST /scim/tokens`: creates a bearer token for an identity provider and shows it once. */
  createScimToken: (call, { services }) =>
    answerIdempotently(
      call,
      (created: CreatedScimToken) => ({ status: 201, body: presentCreatedScimToken(created) }),
      (once) => services.scimTokens.create(actorOf(call), call.body.label, once),
    ),

  /** Handles `GET /scim/tokens`: lists the bearer tokens of identity providers, without their secrets. */
  listScimTokens: async ({ principal }, { services }) => {
    const tokens = await services.scimTokens.list(principal.organizationId);
    return { status: 200, body: { data: tokens.map(presentScimToken) } };
  },

  /** Handles `DELETE /scim/tokens/{id}`: revokes the bearer token of an identity provider. */
  deleteScimToken: async (call, { services }) => {
    await services.scimTokens.remove(actorOf(call), call.params.id);
    return { status: 200, body: { deleted: true } };
  },
};

function presentScimToken({ id, label, createdAt, lastUsedAt }: ScimToken): ScimTokenRecord {
  return {
    id,
    label,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  };
}

function presentCreatedScimToken({ record, token }: CreatedScimToken): CreatedScimTokenAnswer {
  return { data: presentScimToken(record), token };
}
