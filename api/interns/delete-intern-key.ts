/** Handles `DELETE /interns/{internId}/keys/{hash}`: deletes a key of an intern. */
import { operations } from '../../contract/operations.ts';
import { defineRoute } from '../http/route.ts';

export const deleteInternKey = defineRoute(
  operations.deleteInternKey,
  async ({ principal, client, params }, { services }) => {
    await services.internKeys.remove({ principal, client }, params.internId, params.hash);
    return { status: 200, body: { deleted: true } };
  },
);
