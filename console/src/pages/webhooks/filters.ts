/** Names the filters of the list of deliveries, as they stand in its URL. */
import { oneOf, textsOf } from '../../search.ts';

export const STATUSES = ['pending', 'delivered', 'failed', 'exhausted', 'stopped'] as const;

export type WebhookFilters = ReturnType<typeof webhookFilters>;

export function webhookFilters(search: Record<string, unknown>) {
  return {
    ...textsOf(search, ['job_id', 'workspace_id', 'since', 'until', 'offset']),
    status: oneOf(search['status'], STATUSES),
  };
}
