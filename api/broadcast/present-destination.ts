import type { DestinationRecord } from '../../contract/broadcast/destination-record.ts';
import type { Delivery } from '../../db/broadcast/delivery-read-model.ts';
import type { ShownDestination } from '../../services/broadcast/shown-destination.ts';

/** Presents a destination with every field: published clients drop a record that lacks one. */
export function presentDestination(destination: ShownDestination): DestinationRecord {
  const { flags } = destination;
  return {
    id: destination.id,
    workspace_id: destination.workspaceId,
    name: destination.name,
    type: destination.type,
    config: destination.configShown,
    enabled: destination.enabled,
    api_key_hashes: destination.apiKeyHashes,
    broadcast_generation_cost: flags.cost,
    broadcast_generation_cost_allocation: flags.costAllocation,
    broadcast_generation_identity: flags.identity,
    broadcast_generation_request_context: flags.requestContext,
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
