/** Converts request bodies to new or changed observability destinations. */
import type {
  DestinationChangesBody,
  NewDestinationBody,
} from '../../contract/broadcast/destination-body.ts';
import { parseDestinationConfig } from '../../contract/broadcast/destination-configs.ts';
import type { DestinationConfig } from '../../domain/broadcast/destination-config.ts';
import type { BroadcastFlags, DestinationType } from '../../domain/broadcast/destination.ts';
import type { FilterRules } from '../../domain/broadcast/filter-rules.ts';
import type { Region } from '../../domain/catalog/catalog.ts';
import { invalidRequest } from '../../domain/errors.ts';
import type { DestinationDraft } from '../../services/broadcast/create-destination.ts';
import type { DestinationChanges } from '../../services/broadcast/update-destination.ts';
import { withoutUndefined } from '../http/request/without-undefined.ts';

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
  const off: BroadcastFlags = { cost: false, costAllocation: false, identity: false, requestContext: false };
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
export function toDestinationChanges(
  body: Omit<DestinationChangesBody, 'config'>,
): Omit<DestinationChanges, 'config'> {
  const flags = withoutUndefined({
    cost: body.broadcast_generation_cost,
    costAllocation: body.broadcast_generation_cost_allocation,
    identity: body.broadcast_generation_identity,
    requestContext: body.broadcast_generation_request_context,
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
