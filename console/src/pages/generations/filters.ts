/** Names the filters of the list of generations, as they stand in its URL and in the call. */
import { textsOf } from '../../search.ts';

export const FILTERS = [
  'model',
  'provider',
  'status',
  'api_type',
  'api_key_hash',
  'workspace_id',
  'user_id',
  'external_user',
  'session_id',
  'start',
  'end',
  'min_cost',
  'max_cost',
] as const;
export type FilterName = (typeof FILTERS)[number];

export type GenerationFilters = Partial<Record<FilterName | 'cursor' | 'live', string>>;

export function generationFilters(search: Record<string, unknown>): GenerationFilters {
  return textsOf(search, [...FILTERS, 'cursor', 'live']);
}
