/** Stores which circuits API processes have opened, for people to see. */
import type { Handle } from '../postgres/connection.ts';
import { bool, type RowOf, text, timestamptz } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';

const CIRCUIT = {
  endpointId: text,
  model: text,
  /** Provider slug. */
  provider: text,
  isOwn: bool,
  openedAt: timestamptz,
  openUntil: timestamptz,
};
/** An endpoint that requests skip for now because too many of its calls failed. */
export type OpenCircuit = RowOf<typeof CIRCUIT>;

/** SQL: the time after its end for which an opening belongs to the one before. A failing endpoint reopens at once. */
const SAME_FAILURE = `interval '5 minutes'`;

/**
 * A circuit belongs to everyone if its id is that of an endpoint of the catalog. The circuit of a customer's access
 * ends with the version of the customer's secret, or begins with the id of a private endpoint.
 */
const CIRCUITS = `
  with open as (
    select *, regexp_replace(circuit_id, '/[^/]*$', '') endpoint_id, regexp_replace(circuit_id, '^.*/', '') version
    from open_circuits where open_until > now()
  ), mine as (
    select e.id "endpointId", e.model_id model, e.provider_slug provider, false "isOwn", o.opened_at, o.open_until
    from open o join endpoints e on e.id = o.circuit_id where e.enabled
    union all
    select e.id, e.model_id, e.provider_slug, true, o.opened_at, o.open_until
    from open o join endpoints e on e.id = o.endpoint_id
    where exists (select from byok_credentials c
      where c.organization_id = :organizationId and c.secret_version::text = o.version)
    union all
    select p.id::text, p.model_id, p.provider_slug, true, o.opened_at, o.open_until
    from open o join private_endpoints p on p.id::text = o.endpoint_id
    where p.organization_id = :organizationId and p.deleted_at is null
  )
  select "endpointId", model, provider, "isOwn", opened_at "openedAt", open_until "openUntil"
  from mine order by opened_at, "endpointId" limit :limit`;

export function createOpenCircuitStore(handle: Handle) {
  return {
    /**
     * Records that a circuit is open for `forMs`. A circuit that several processes open has one row, with the latest
     * end. Deletes rows of failures that are over.
     */
    async note(circuitId: string, forMs: number): Promise<void> {
      await run(
        handle,
        `with past as (
           delete from open_circuits where circuit_id in (
             select circuit_id from open_circuits
             where open_until < now() - ${SAME_FAILURE} and circuit_id <> :circuitId for update skip locked)
         )
         insert into open_circuits as c (circuit_id, open_until)
         values (:circuitId, now() + :forMs * interval '1 millisecond')
         on conflict (circuit_id) do update set open_until = greatest(c.open_until, excluded.open_until),
           opened_at = case when c.open_until < now() - ${SAME_FAILURE} then now() else c.opened_at end`,
        { circuitId, forMs },
      );
    },

    /** Returns up to `limit` open circuits of endpoints that an organization may use, the oldest first. */
    ofOrganization: (organizationId: string, limit: number): Promise<OpenCircuit[]> =>
      rowsOf(handle, CIRCUIT, CIRCUITS, { organizationId, limit }),
  };
}

export type OpenCircuitStore = ReturnType<typeof createOpenCircuitStore>;
