/** Converts rows of observability destinations to settings, and changed settings to columns. */
import type { Region } from '../../domain/catalog/catalog.ts';
import type { AnyConfig } from '../../domain/broadcast/masked-config.ts';
import {
  type BroadcastFlags,
  DESTINATION_TYPES,
  type DestinationSettings,
  type DestinationType,
} from '../../domain/broadcast/destination.ts';
import type { FilterRules } from '../../domain/broadcast/filter-rules.ts';
import * as column from '../postgres/shape.ts';
import { columnsOf, type RowOf, selectList } from '../postgres/shape.ts';

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

export const DESTINATION = {
  id: column.uuid,
  organizationId: column.uuid,
  workspaceId: column.uuid,
  type: column.oneOf(DESTINATION_TYPES),
  name: column.text.orNull,
  enabled: column.bool,
  configSealed: column.text,
  configShown: column.jsonb<AnyConfig>(),
  apiKeyHashes: column.texts.orNull,
  regions: column.texts,
  filterRules: column.jsonb<FilterRules>().orNull,
  samplingRate: column.float8,
  privacyMode: column.bool,
  sendsCost: column.bool,
  sendsCostAllocation: column.bool,
  sendsIdentity: column.bool,
  sendsRequestContext: column.bool,
  createdAt: column.timestamptz,
  updatedAt: column.timestamptz,
};

/** SQL: reads destinations, without a condition. */
export const DESTINATIONS = `select ${selectList(DESTINATION)} from observability_destinations`;

export function toDestination(row: RowOf<typeof DESTINATION>): StoredDestination {
  const { sendsCost, sendsCostAllocation, sendsIdentity, sendsRequestContext, regions, ...settings } = row;
  return {
    ...settings,
    regions: regions as Region[],
    flags: { sendsCost, sendsCostAllocation, sendsIdentity, sendsRequestContext },
  };
}

/** Returns the columns of the present fields. */
export function destinationColumns(changes: DestinationColumns): Record<string, unknown> {
  const { flags, filterRules, configShown, ...columns } = changes;
  return columnsOf({
    ...columns,
    ...flags,
    configShown: configShown && JSON.stringify(configShown),
    filterRules: filterRules && JSON.stringify(filterRules),
  });
}
