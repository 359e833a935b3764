/** Handles `GET /scim/source`: returns the source of the directory's people and groups. */
import { operations } from '../../contract/operations.ts';
import { presentScimSource } from './present-scim-source.ts';
import { defineRoute } from '../http/route.ts';

export const getScimSource = defineRoute(operations.getScimSource, async ({ principal }, { services }) => {
  const shown = await services.scimSource.get(principal.organizationId);
  return { status: 200, body: { data: presentScimSource(shown) } };
});
