/** Converts rows of observability destinations to settings, and changed settings to columns. */
import type { Region } from '../../domain/catalog/catalog.ts';
import type { AnyConfig } from '../../domain/broadcast/masked-config.ts';
import type {
  BroadcastFlags,
  DestinationSettings,
  DestinationType,
} from '../../domain/broadcast/destination.ts';
import type { FilterRules } from '../../domain/broadcast/filter-rules.ts';

/** A stored destination. Only the delivery and changes by its owner need the decrypted configuration. */
export interface StoredDestination extends DestinationSettings {
  id: string;
  organizationId: string;
  workspaceId: string;
  type: DestinationType;
  configSealed: string;
  configShown: AnyConfig;
  createdAt: Date;
  updatedAt: Date;
}

/** The columns that a destination's owner changes. An absent field stays as it is. */
export type DestinationColumns = Partial<
  Omit<DestinationSettings, 'flags'> & Pick<StoredDestination, 'configSealed' | 'configShown'>
> & { flags?: Partial<BroadcastFlags> };

export interface DestinationRow {
  id: string;
  organization_id: string;
  workspace_id: string;
  type: DestinationType;
  name: string | null;
  enabled: boolean;
  config_sealed: string;
  config_shown: AnyConfig;
  api_key_hashes: string[] | null;
  regions: Region[];
  filter_rules: FilterRules | null;
  sampling_rate: number;
  privacy_mode: boolean;
  sends_cost: boolean;
  sends_cost_allocation: boolean;
  sends_identity: boolean;
  sends_request_context: boolean;
  created_at: Date;
  updated_at: Date;
}

export function toDestination(row: DestinationRow): StoredDestination {
  return {
    id: row.id,
    organizationId: row.organization_id,
    workspaceId: row.workspace_id,
    type: row.type,
    name: row.name,
    enabled: row.enabled,
    configSealed: row.config_sealed,
    configShown: row.config_shown,
    apiKeyHashes: row.api_key_hashes,
    regions: row.regions,
    filterRules: row.filter_rules,
    samplingRate: row.sampling_rate,
    privacyMode: row.privacy_mode,
    flags: {
      sendsCost: row.sends_cost,
      sendsCostAllocation: row.sends_cost_allocation,
      sendsIdentity: row.sends_identity,
      sendsRequestContext: row.sends_request_context,
    },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Returns the columns of the present fields. */
export function columnsOf(changes: DestinationColumns): Record<string, unknown> {
  const { flags = {}, filterRules, configShown } = changes;
  const columns = {
    name: changes.name,
    enabled: changes.enabled,
    config_sealed: changes.configSealed,
    config_shown: configShown && JSON.stringify(configShown),
    api_key_hashes: changes.apiKeyHashes,
    regions: changes.regions,
    filter_rules: filterRules && JSON.stringify(filterRules),
    sampling_rate: changes.samplingRate,
    privacy_mode: changes.privacyMode,
    sends_cost: flags.sendsCost,
    sends_cost_allocation: flags.sendsCostAllocation,
    sends_identity: flags.sendsIdentity,
    sends_request_context: flags.sendsRequestContext,
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}
