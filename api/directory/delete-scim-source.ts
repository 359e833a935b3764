/** Handles `DELETE /scim/source`: deletes the settings of the directory's source. */
import { operations } from '../../contract/operations.ts';
import { actorOf } from '../../domain/principal.ts';
import { defineRoute } from '../http/route.ts';

export const deleteScimSource = defineRoute(
  operations.deleteScimSource,
  async ({ principal, client }, { services }) => {
    await services.scimSource.remove(actorOf(principal, client));
    return { status: 200, body: { deleted: true } };
  },
);
