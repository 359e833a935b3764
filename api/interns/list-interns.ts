/** Handles `GET /interns`: lists the interns of a workspace. */
import { operations } from '../../contract/operations.ts';
import { listOf } from '../../contract/query-values.ts';
import type { InternStatus } from '../../domain/interns/intern-record.ts';
import { presentIntern } from './present-intern.ts';
import { withoutUndefined } from '../http/request/without-undefined.ts';
import { defineRoute } from '../http/route.ts';

export const listInterns = defineRoute(operations.listInterns, async ({ principal, query }, { services }) => {
  const { interns, nextCursor } = await services.interns.list(
    principal,
    withoutUndefined({
      limit: query.limit,
      // The schema allows known statuses only.
      statuses: query.status === undefined ? undefined : (listOf(query.status) as InternStatus[]),
      startingAfter: query.starting_after,
      workspaceId: query.workspace_id,
    }),
  );
  const data = interns.map(presentIntern);
  const body =
    nextCursor === undefined ? { data, has_more: false } : { data, has_more: true, next_cursor: nextCursor };
  return { status: 200, body };
});
