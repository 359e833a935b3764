import type { ApiType, GenerationStatus } from '../ledger/generation.ts';
import type { Region } from '../catalog/catalog.ts';

/** What the values of a dimension are, which decides what a filter may hold. */
export type ValueKind = 'text' | 'permaslug' | 'user' | 'uuid' | 'key' | 'number' | readonly string[];

interface DimensionFacts {
  label: string;
  values: ValueKind;
  /** Whether generations may have none: such a group's value is null. */
  hasUnset: boolean;
  /** Whether the rollups tell it apart; all others are read from the rows of the ledger. */
  isRolledUp: boolean;
}

const API_TYPES: readonly ApiType[] = ['completions', 'embeddings', 'rerank', 'image', 'tts', 'video'];
const STATUSES: readonly GenerationStatus[] = ['completed', 'failed', 'cancelled', 'expired'];
const REGIONS: readonly Region[] = ['global', 'europe', 'us'];

const rolledUp = (label: string, values: ValueKind): DimensionFacts => ({
  label,
  values,
  hasUnset: false,
  isRolledUp: true,
});
const always = (label: string, values: ValueKind): DimensionFacts => ({
  label,
  values,
  hasUnset: false,
  isRolledUp: false,
});
const perhaps = (label: string, values: ValueKind): DimensionFacts => ({
  label,
  values,
  hasUnset: true,
  isRolledUp: false,
});

/** What analytics groups and filters by (design: §8), by its name on the wire. */
export const DIMENSIONS = {
  model: rolledUp('Model', 'permaslug'),
  provider: rolledUp('Provider', 'text'),
  api_key_id: rolledUp('API key', 'key'),
  workspace: rolledUp('Workspace', 'uuid'),
  user: perhaps('User', 'user'),
  external_user: perhaps('End user', 'text'),
  app: perhaps('App', 'number'),
  origin: perhaps('Origin', 'text'),
  country: perhaps('Country', 'text'),
  region: always('Region', REGIONS),
  api_type: rolledUp('API type', API_TYPES),
  finish_reason: perhaps('Finish reason', 'text'),
  status: always('Status', STATUSES),
  streamed: always('Streamed', ['true', 'false']),
  preset: perhaps('Preset', 'text'),
} as const satisfies Record<string, DimensionFacts>;

export type Dimension = keyof typeof DIMENSIONS;
export const DIMENSION_NAMES = Object.keys(DIMENSIONS) as [Dimension, ...Dimension[]];

/**
 * Where activity lies that was recorded before it was known which workspace it belongs to. It counts as the
 * organization's default workspace.
 */
export const UNRESOLVED_WORKSPACE_ID = '00000000-0000-0000-0000-000000000000';
