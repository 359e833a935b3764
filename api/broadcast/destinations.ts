/** Answers the operations on observability destinations. */
import type {
  DestinationChangesBody,
  NewDestinationBody,
} from '../../contract/broadcast/destination-body.ts';
import { parseDestinationConfig } from '../../contract/broadcast/destination-configs.ts';
import type { DestinationRecord } from '../../contract/broadcast/destination-record.ts';
import type { destinationOperations } from '../../contract/broadcast/destinations.ts';
import type { Delivery } from '../../db/broadcast/delivery-read-model.ts';
import type { DestinationConfig } from '../../domain/broadcast/destination-config.ts';
import type { BroadcastFlags, DestinationType } from '../../domain/broadcast/destination.ts';
import type { FilterRules } from '../../domain/broadcast/filter-rules.ts';
import type { Region } from '../../domain/catalog/catalog.ts';
import { invalidRequest } from '../../domain/errors.ts';
import { withoutUndefined } from '../../domain/fields.ts';
import { actorOf } from '../../domain/principal.ts';
import type { DestinationDraft } from '../../services/broadcast/create-destination.ts';
import type { DestinationService } from '../../services/broadcast/destination-service.ts';
import type { ShownDestination } from '../../services/broadcast/shown-destination.ts';
import type { DestinationChanges } from '../../services/broadcast/update-destination.ts';
import { answerIdempotently } from '../http/answer-idempotently.ts';
import { requireUpdateFields } from '../http/request/require-update-fields.ts';
import type { RoutesOf } from '../http/route.ts';

interface Used {
  destinations: DestinationService;
}

export const destinationRoutes: RoutesOf<typeof destinationOperations, Used> = {
  /**
   * Handles `GET /observability/destinations`: lists the destinations to which a workspace forwards its generations.
   */
  listObservabilityDestinations: async (
    { principal, query: { limit, offset, workspace_id: workspaceId } },
    { services },
  ) => {
    const page = { limit, offset, workspaceId };
    const { destinations, totalCount } = await services.destinations.list(principal.organizationId, page);
    return {
      status: 200,
      body: { data: destinations.map(presentDestination), total_count: totalCount },
    };
  },

  /**
   * Handles `POST /observability/destinations`: creates a destination to which a workspace forwards its generations.
   */
  createObservabilityDestination: (call, { services }) =>
    answerIdempotently(
      call,
      (destination: ShownDestination) => ({ status: 201, body: { data: presentDestination(destination) } }),
      (once) => services.destinations.create(call, toDestinationDraft(call.body), once),
    ),

  /** Handles `GET /observability/destinations/{id}`: returns one destination of the organization. */
  getObservabilityDestination: async ({ principal, params }, { services }) => {
    const destination = await services.destinations.get(principal.organizationId, params.id);
    return { status: 200, body: { data: presentDestination(destination) } };
  },

  /** Handles `PATCH /observability/destinations/{id}`: changes the fields of a destination that the body names. */
  updateObservabilityDestination: async (call, { services }) => {
    const { config: given, ...body } = call.body;
    // The type determines the configuration's fields, and never changes.
    const { type } = await services.destinations.get(call.principal.organizationId, call.params.id);
    const { config, issues } = given === undefined ? { issues: [] } : parseDestinationConfig(type, given);
    const changes = withoutUndefined({ ...toDestinationChanges(body), config });
    if (given === undefined) requireUpdateFields(changes);
    const destination = await services.destinations.update(actorOf(call), call.params.id, changes, issues);
    return { status: 200, body: { data: presentDestination(destination) } };
  },

  /**
   * Handles `DELETE /observability/destinations/{id}`: deletes a destination; generations that wait for it are not
   * sent.
   */
  deleteObservabilityDestination: async (call, { services }) => {
    await services.destinations.remove(actorOf(call), call.params.id);
    return { status: 200, body: { deleted: true } };
  },
};

/** Returns the draft, with defaults for absent fields. */
export function toDestinationDraft(body: NewDestinationBody): DestinationDraft {
  const { flags = {}, ...given } = toDestinationChanges(body);
  const defaults = {
    enabled: true,
    apiKeyHashes: null,
    regions: ['global'] satisfies Region[],
    filterRules: null,
    samplingRate: 1,
    privacyMode: false,
  };
  const off: BroadcastFlags = {
    sendsCost: false,
    sendsCostAllocation: false,
    sendsIdentity: false,
    sendsRequestContext: false,
  };
  return {
    ...defaults,
    ...given,
    ...withoutUndefined({ workspaceId: body.workspace_id }),
    name: body.name,
    flags: { ...off, ...flags },
    config: toDestinationConfig(body.type, body.config),
  };
}

/** Returns the changes without the configuration, because its fields depend on the destination's type. */
function toDestinationChanges(
  body: Omit<DestinationChangesBody, 'config'>,
): Omit<DestinationChanges, 'config'> {
  const flags = withoutUndefined({
    sendsCost: body.broadcast_generation_cost,
    sendsCostAllocation: body.broadcast_generation_cost_allocation,
    sendsIdentity: body.broadcast_generation_identity,
    sendsRequestContext: body.broadcast_generation_request_context,
  });
  return withoutUndefined({
    name: body.name,
    enabled: body.enabled,
    apiKeyHashes: body.api_key_hashes && [...new Set(body.api_key_hashes)],
    regions: body.regions && [...new Set(body.regions.map(toRegion))],
    filterRules: body.filter_rules as FilterRules | null | undefined,
    samplingRate: body.sampling_rate,
    privacyMode: body.privacy_mode,
    flags: Object.keys(flags).length === 0 ? undefined : flags,
  });
}

/** Returns the configuration with its defaults. Throws a 400 that names all broken rules. */
function toDestinationConfig(type: DestinationType, given: unknown): DestinationConfig {
  const { config, issues } = parseDestinationConfig(type, given);
  if (config === undefined) throw invalidRequest(...issues);
  return config;
}

function toRegion(region: Region | 'eu'): Region {
  return region === 'eu' ? 'europe' : region;
}

/** Presents a destination with every field: published clients drop a record that lacks one. */
function presentDestination(destination: ShownDestination): DestinationRecord {
  const { flags } = destination;
  return {
    id: destination.id,
    workspace_id: destination.workspaceId,
    name: destination.name,
    type: destination.type,
    config: destination.configShown,
    enabled: destination.enabled,
    api_key_hashes: destination.apiKeyHashes,
    broadcast_generation_cost: flags.sendsCost,
    broadcast_generation_cost_allocation: flags.sendsCostAllocation,
    broadcast_generation_identity: flags.sendsIdentity,
    broadcast_generation_request_context: flags.sendsRequestContext,
    filter_rules: destination.filterRules,
    privacy_mode: destination.privacyMode,
    regions: destination.regions,
    sampling_rate: destination.samplingRate,
    created_at: destination.createdAt.toISOString(),
    updated_at: destination.updatedAt.toISOString(),
    delivery: presentDelivery(destination.delivery),
  };
}

function presentDelivery(delivery: Delivery): DestinationRecord['delivery'] {
  return {
    state: delivery.state,
    reason: delivery.reason,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    backlog: delivery.backlog,
    oldest_age_seconds: delivery.oldestAgeSeconds,
    delivered: delivery.delivered,
    rejected: delivery.rejected,
    without_content: delivery.withoutContent,
    undecided: delivery.undecided,
    given_up: delivery.givenUp,
    dead_letters: delivery.deadLetters,
  };
}
