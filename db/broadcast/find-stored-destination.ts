import type { Handle } from '../postgres/connection.ts';
import { uncheckedRows } from '../postgres/statement.ts';
import { type DestinationRow, type StoredDestination, toDestination } from './destination-rows.ts';

/** Finds a destination of any organization, for its delivery. */
export async function findStoredDestination(handle: Handle, id: string): Promise<StoredDestination | null> {
  const [row] = await uncheckedRows<DestinationRow>(handle, FIND, [id]);
  return row === undefined ? null : toDestination(row);
}

/** Selects columns by name, because a prepared statement with `*` fails after a column is added. */
const FIND = {
  name: 'broadcast-destination',
  text: `
    select id, organization_id, workspace_id, type, name, enabled, config_sealed, config_shown, api_key_hashes, regions,
      filter_rules, sampling_rate, privacy_mode, sends_cost, sends_cost_allocation, sends_identity,
      sends_request_context, created_at, updated_at
    from observability_destinations where id = $1`,
};
