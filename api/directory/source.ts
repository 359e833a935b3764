/** Answers the operations on the source of a directory's people and groups. */
import type {
  ScimSourceRecord,
  ScimSourceSettings,
  sourceOperations,
} from '../../contract/directory/source.ts';
import { actorOf } from '../../domain/principal.ts';
import type { ShownSource, SourceDraft, SourceService } from '../../services/directory/source-service.ts';
import type { RoutesOf } from '../http/route.ts';

export const sourceRoutes: RoutesOf<typeof sourceOperations, { scimSource: SourceService }> = {
  /** Handles `GET /scim/source`: returns the source of the directory's people and groups. */
  getScimSource: async ({ principal }, { services }) => {
    const shown = await services.scimSource.get(principal.organizationId);
    return { status: 200, body: { data: presentScimSource(shown) } };
  },

  /** Handles `PUT /scim/source`: replaces the settings of the directory's source. */
  setScimSource: async (call, { services }) => {
    const shown = await services.scimSource.set(actorOf(call), toDraft(call.body));
    return { status: 200, body: { data: presentScimSource(shown) } };
  },

  /** Handles `DELETE /scim/source`: deletes the settings of the directory's source. */
  deleteScimSource: async (call, { services }) => {
    await services.scimSource.remove(actorOf(call));
    return { status: 200, body: { deleted: true } };
  },
};

function toDraft(body: ScimSourceSettings): SourceDraft {
  const { scim_disable_keys: disableKeys } = body;
  if (body.type === 'pushed') return { type: 'pushed', disableKeys };
  const { base_url: baseUrl, token, interval_minutes: intervalMinutes } = body;
  return { type: 'scim', disableKeys, baseUrl, intervalMinutes, token };
}

/** Turns the source of a directory, with its last sync, into the record that responses show. */
function presentScimSource({ source, lastJob, managedPeople, held }: ShownSource): ScimSourceRecord {
  const isPulled = source.type === 'scim';
  return {
    type: source.type,
    base_url: source.baseUrl,
    token_hint: source.tokenHint,
    interval_minutes: isPulled ? source.intervalMinutes : null,
    scim_disable_keys: source.disableKeys,
    next_sync_at: source.nextSyncAt?.toISOString() ?? null,
    last_full_sync_at: source.fullSyncAt?.toISOString() ?? null,
    last_sync_job: lastJob && {
      id: lastJob.id,
      status: lastJob.state,
      error_reason: lastJob.errorReason,
      created_at: lastJob.createdAt.toISOString(),
      finished_at: lastJob.finishedAt?.toISOString() ?? null,
    },
    managed_people: managedPeople,
    held_removals: { count: held.count, since: held.since?.toISOString() ?? null },
    updated_at: source.updatedAt?.toISOString() ?? null,
  };
}
