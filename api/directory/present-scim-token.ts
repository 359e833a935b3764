/** Turns a SCIM token into the record that responses show, and a new one into the body that shows it once. */
import type { CreatedScimTokenAnswer, ScimTokenRecord } from '../../contract/directory/scim-tokens.ts';
import type { ScimToken } from '../../domain/directory/scim-token.ts';
import type { CreatedScimToken } from '../../services/directory/tokens/create-scim-token.ts';

export function presentScimToken({ id, label, createdAt, lastUsedAt }: ScimToken): ScimTokenRecord {
  return {
    id,
    label,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  };
}

export function presentCreatedScimToken({ record, token }: CreatedScimToken): CreatedScimTokenAnswer {
  return { data: presentScimToken(record), token };
}
