/** Stores which endpoints answered lately that their provider does not have the model. */
import type { Handle } from '../postgres/connection.ts';
import { type RowOf, selectList, text, timestamptz } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';

const GONE = { endpointId: text, firstSeenAt: timestamptz, lastSeenAt: timestamptz };
export type GoneEndpoint = RowOf<typeof GONE>;

/** The time after the last such answer for which an endpoint counts as gone. */
const SHOWN = `interval '7 days'`;

export function createGoneEndpointStore(handle: Handle) {
  return {
    /** Notes that an endpoint answered so now. After a week without such an answer, `first_seen_at` restarts. */
    async note(endpointId: string): Promise<void> {
      await run(
        handle,
        `insert into gone_endpoints as g (endpoint_id) select id from endpoints where id = :endpointId
         on conflict (endpoint_id) do update set last_seen_at = now(),
           first_seen_at = case when g.last_seen_at < now() - ${SHOWN} then now() else g.first_seen_at end`,
        { endpointId },
      );
    },

    /** Returns the endpoints that answered so in the last week. */
    list: (): Promise<GoneEndpoint[]> =>
      rowsOf(
        handle,
        GONE,
        `select ${selectList(GONE)} from gone_endpoints where last_seen_at >= now() - ${SHOWN}`,
      ),
  };
}

export type GoneEndpointStore = ReturnType<typeof createGoneEndpointStore>;
