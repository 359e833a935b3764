/**
 * Handles `GET /interns/{internId}/egress-log`: lists the requests that were sent to hosts with secrets of an intern.
 */
import { operations } from '../../contract/operations.ts';
import { presentEgressEntry } from './present-egress-entry.ts';
import { defineRoute } from '../http/route.ts';

export const listEgressLog = defineRoute(
  operations.listEgressLog,
  async ({ principal, params, query }, { services }) => {
    const { limit, starting_after: startingAfter } = query;
    const page = await services.egressLog.list(principal, params.internId, { limit, startingAfter });
    const data = page.entries.map(presentEgressEntry);
    const { nextCursor } = page;
    if (nextCursor === undefined) return { status: 200, body: { data, has_more: false } };
    return { status: 200, body: { data, has_more: true, next_cursor: nextCursor } };
  },
);
