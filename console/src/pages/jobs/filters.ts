/** Names the filters of the list of jobs, as they stand in its URL. */
import { oneOf, textsOf } from '../../search.ts';

export const STATUSES = ['pending', 'in_progress', 'completed', 'failed', 'cancelled', 'expired'] as const;

export function jobFilters(search: Record<string, unknown>) {
  return { ...textsOf(search, ['model', 'offset']), status: oneOf(search['status'], STATUSES) };
}
