/** Pages through the interns of a workspace. */
import type { Intern, InternStatus } from '../../domain/interns/intern-record.ts';
import type { Handle } from '../postgres/connection.ts';
import { INTERN, INTERNS } from './intern-rows.ts';
import { rowsOf } from '../postgres/statement.ts';
import { int8 } from '../postgres/shape.ts';
import { sql, trustedText } from '../postgres/sql-text.ts';

/** The position of an intern in the list. */
export interface InternPosition {
  /** Microseconds since 1970, as decimal digits; a `Date` would lose them. */
  createdMicros: string;
  id: string;
}

export interface InternFilter {
  workspaceId: string;
  /** Absent: all statuses. */
  statuses?: readonly InternStatus[] | undefined;
  /** Selects only interns after this position. */
  after?: InternPosition | undefined;
  limit: number;
}

const CREATED_MICROS = '(extract(epoch from "createdAt") * 1000000)::bigint';

/** Lists interns, the newest first. */
export function createInternReadModel(handle: Handle) {
  return {
    async list(filter: InternFilter): Promise<{ intern: Intern; position: InternPosition }[]> {
      const { workspaceId, statuses, after, limit } = filter;
      const ofStatuses = statuses === undefined ? sql`` : sql`and i.status = any(${statuses})`;
      // The time is exact: the value is below 2^53 microseconds.
      const afterPosition =
        after === undefined
          ? sql``
          : sql`and (i.created_at, i.id) <
              (timestamptz 'epoch' + ${after.createdMicros}::bigint * interval '1 microsecond', ${after.id}::uuid)`;
      const rows = await rowsOf(
        handle,
        { ...INTERN, createdMicros: int8 },
        sql`select l.*, ${trustedText(CREATED_MICROS)} "createdMicros" from (${trustedText(INTERNS)}
           where i.workspace_id = ${workspaceId} ${ofStatuses} ${afterPosition}
           order by i.created_at desc, i.id desc limit ${limit}) l order by "createdAt" desc, id desc`,
      );
      return rows.map(({ createdMicros, ...intern }) => ({
        intern,
        position: { createdMicros, id: intern.id },
      }));
    },
  };
}
