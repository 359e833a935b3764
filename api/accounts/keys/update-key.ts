/** Handles `PATCH /keys/{hash}`: changes the fields of an API key that the body names. */
import type { KeyChangesBody } from '../../../contract/accounts/key.ts';
import { operations } from '../../../contract/operations.ts';
import type { KeyChanges } from '../../../domain/accounts/api-key.ts';
import { usdToNanos } from '../../../domain/money.ts';
import { actorOf } from '../../../domain/principal.ts';
import { presentApiKey } from './present-api-key.ts';
import { requireUpdateFields } from '../../http/request/require-update-fields.ts';
import { withoutUndefined } from '../../http/request/without-undefined.ts';
import { defineRoute } from '../../http/route.ts';

export const updateKey = defineRoute(
  operations.updateKey,
  async ({ principal, client, params, body }, { services }) => {
    const changes = requireUpdateFields(toKeyChanges(body));
    const key = await services.apiKeys.update(actorOf(principal, client), params.hash, changes);
    return { status: 200, body: { data: presentApiKey(key) } };
  },
);

function toKeyChanges({ limit, ...body }: KeyChangesBody): KeyChanges {
  return withoutUndefined({
    name: body.name,
    disabled: body.disabled,
    limitNanos: limit === undefined || limit === null ? limit : usdToNanos(limit),
    limitReset: body.limit_reset,
    includeByokInLimit: body.include_byok_in_limit,
    workspaceId: body.workspace_id,
  });
}
