/** Lists the dimensions by which customers can group and filter their usage. */
import { API_TYPES, GENERATION_STATUSES } from '../ledger/generation.ts';
import { REGIONS } from '../catalog/catalog.ts';

/** The type of a dimension's values, which determines the filters it accepts. */
export type ValueKind = 'text' | 'permaslug' | 'user' | 'uuid' | 'key' | 'number' | readonly string[];

interface DimensionFacts {
  label: string;
  values: ValueKind;
  /** True: generations may lack a value; their group's value is null. */
  hasUnset: boolean;
  /** True: the rollups have the dimension. All others are read from the rows of the ledger. */
  isRolledUp: boolean;
}

const kindOf =
  (facts: Pick<DimensionFacts, 'hasUnset' | 'isRolledUp'>) =>
  (label: string, values: ValueKind): DimensionFacts => ({ label, values, ...facts });
const rolledUp = kindOf({ hasUnset: false, isRolledUp: true });
const always = kindOf({ hasUnset: false, isRolledUp: false });
const optional = kindOf({ hasUnset: true, isRolledUp: false });

/** The dimensions by which analytics group and filter, by their names on the wire. */
export const DIMENSIONS = {
  model: rolledUp('Model', 'permaslug'),
  provider: rolledUp('Provider', 'text'),
  api_key_id: rolledUp('API key', 'key'),
  workspace: rolledUp('Workspace', 'uuid'),
  user: optional('User', 'user'),
  external_user: optional('End user', 'text'),
  app: optional('App', 'number'),
  origin: optional('Origin', 'text'),
  country: optional('Country', 'text'),
  region: always('Region', REGIONS),
  api_type: rolledUp('API type', API_TYPES),
  finish_reason: optional('Finish reason', 'text'),
  status: always('Status', GENERATION_STATUSES),
  streamed: always('Streamed', ['true', 'false']),
  preset: optional('Preset', 'text'),
} as const satisfies Record<string, DimensionFacts>;

export type Dimension = keyof typeof DIMENSIONS;
export const DIMENSION_NAMES = Object.keys(DIMENSIONS) as [Dimension, ...Dimension[]];

/**
 * The workspace id of activity that was recorded without a workspace. It counts to the organization's default
 * workspace.
 */
export const UNRESOLVED_WORKSPACE_ID = '00000000-0000-0000-0000-000000000000';
