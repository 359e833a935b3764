/** Lists the requests that were sent with secrets of an intern. */
import type { EgressLogEntry, egressLogOperations } from '../../contract/interns/egress-log.ts';
import type { EgressRecord } from '../../db/interns/egress-log-store.ts';
import type { EgressLogService } from '../../services/interns/egress/egress-log-service.ts';
import type { RoutesOf } from '../http/route.ts';

export const egressLogRoutes: RoutesOf<typeof egressLogOperations, { egressLog: EgressLogService }> = {
  /**
   * Handles `GET /interns/{internId}/egress-log`: lists the requests that were sent to hosts with secrets of an intern.
   */
  listEgressLog: async ({ principal, params, query }, { services }) => {
    const { limit, starting_after: startingAfter } = query;
    const page = { limit, startingAfter };
    const { entries, nextCursor } = await services.egressLog.list(principal, params.internId, page);
    const data = entries.map(presentEgressEntry);
    return { status: 200, body: { data, has_more: nextCursor !== undefined, next_cursor: nextCursor } };
  },
};

/** Turns a record of the egress log into an entry of the body of `GET /interns/{internId}/egress-log`. */
function presentEgressEntry(entry: EgressRecord): EgressLogEntry {
  return {
    created_at: entry.createdAt.toISOString(),
    key_hash: entry.keyHash,
    method: entry.method,
    host: entry.host,
    names: entry.names,
    status: entry.status,
    bytes: entry.bytes,
  };
}
