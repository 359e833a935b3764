/** Reads which observability destinations of an organization take no generations now. */
import type { Handle } from '../postgres/connection.ts';
import { oneOf, type RowOf, text, timestamptz, uuid } from '../postgres/shape.ts';
import { rowsOf } from '../postgres/statement.ts';

const DESTINATION = {
  id: uuid,
  workspaceId: uuid,
  name: text.orNull,
  type: text,
  state: oneOf(['backing_off', 'needs_attention', 'disabled']),
  reason: text.orNull,
  failingSince: timestamptz.orNull,
};
/** A destination that does not take generations. */
export type FailingDestination = RowOf<typeof DESTINATION>;

/** A destination that its owner disabled is no problem; one that Sluice disabled is. */
const DESTINATIONS = `
  select d.id, d.workspace_id "workspaceId", d.name, d.type, p.state, p.reason, p.failing_since "failingSince"
  from observability_destinations d join broadcast_progress p on p.destination_id = d.id
  where d.organization_id = :organizationId
    and (p.state = 'disabled' or (d.enabled and p.state in ('backing_off', 'needs_attention')))
  order by p.failing_since nulls last, d.id limit :limit`;

/** Returns up to `limit` destinations that fail, those that fail longest first. */
export function failingDestinations(
  handle: Handle,
  organizationId: string,
  limit: number,
): Promise<FailingDestination[]> {
  return rowsOf(handle, DESTINATION, DESTINATIONS, { organizationId, limit });
}
