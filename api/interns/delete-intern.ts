/** Handles `DELETE /interns/{internId}`: deletes an intern with its keys, its vault and its secrets. */
import { operations } from '../../contract/operations.ts';
import { defineRoute } from '../http/route.ts';

export const deleteIntern = defineRoute(
  operations.deleteIntern,
  async ({ principal, client, params }, { services }) => {
    await services.interns.remove({ principal, client }, params.internId);
    return { status: 202, body: { deleting: true } };
  },
);
