/** Names the filters of the list of deliveries, as they stand in its URL. */
import { oneOf, textsOf } from '../../search.ts';

export const STATUSES = ['pending', 'delivered', 'failed', 'exhausted', 'stopped'] as const;

export interface WebhookFilters {
  status?: (typeof STATUSES)[number];
  job_id?: string;
  workspace_id?: string;
  since?: string;
  until?: string;
  offset?: string;
}

export function webhookFilters(search: Record<string, unknown>): WebhookFilters {
  return {
    ...textsOf(search, ['job_id', 'workspace_id', 'since', 'until', 'offset']),
    status: oneOf(search['status'], STATUSES),
  };
}
