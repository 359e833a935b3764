/** Handles `GET /interns/{internId}/keys`: lists the keys of an intern. */
import { operations } from '../../contract/operations.ts';
import { presentApiKey } from '../accounts/keys.ts';
import { withoutUndefined } from '../http/request/without-undefined.ts';
import { defineRoute } from '../http/route.ts';

export const listInternKeys = defineRoute(
  operations.listInternKeys,
  async ({ principal, params, query }, { services }) => {
    const page = withoutUndefined({
      includeDisabled: query.include_disabled,
      includeExpired: query.include_expired,
      offset: query.offset,
      beforeId: query.before_id,
    });
    const keys = await services.internKeys.list(principal, params.internId, page);
    return { status: 200, body: { data: keys.map(presentApiKey) } };
  },
);
