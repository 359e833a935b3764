/** Handles `PUT /scim/source`: replaces the settings of the directory's source. */
import type { ScimSourceSettings } from '../../contract/directory/source.ts';
import { operations } from '../../contract/operations.ts';
import { actorOf } from '../../domain/principal.ts';
import type { SourceDraft } from '../../services/directory/source-service.ts';
import { presentScimSource } from './present-scim-source.ts';
import { defineRoute } from '../http/route.ts';

export const setScimSource = defineRoute(
  operations.setScimSource,
  async ({ principal, client, body }, { services }) => {
    const shown = await services.scimSource.set(actorOf(principal, client), toDraft(body));
    return { status: 200, body: { data: presentScimSource(shown) } };
  },
);

function toDraft(body: ScimSourceSettings): SourceDraft {
  const { scim_disable_keys: disableKeys } = body;
  if (body.type === 'pushed') return { type: 'pushed', disableKeys };
  const { base_url: baseUrl, token, interval_minutes: intervalMinutes } = body;
  return { type: 'scim', disableKeys, baseUrl, intervalMinutes, ...(token === undefined ? {} : { token }) };
}
