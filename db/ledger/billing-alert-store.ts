/** Records on which day operators were alerted about the bills of an endpoint. */
import type { Handle } from '../postgres/connection.ts';
import { anyRows } from '../postgres/results.ts';

/** Returns whether this is the first alert about an endpoint on this day of UTC, in all processes. */
export function isFirstAlertToday(handle: Handle, endpointId: string): Promise<boolean> {
  return anyRows(
    handle,
    `insert into billing_alerts as a (endpoint_id, alerted_on)
     select :endpointId, (now() at time zone 'UTC')::date
     on conflict (endpoint_id) do update set alerted_on = excluded.alerted_on
       where a.alerted_on < excluded.alerted_on
     returning endpoint_id`,
    { endpointId },
  );
}
