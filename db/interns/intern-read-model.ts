/** Pages through the interns of a workspace. */
import type { Intern, InternStatus } from '../../domain/interns/intern-record.ts';
import type { Handle } from '../postgres/connection.ts';
import { type InternRow, INTERNS, toIntern } from './intern-rows.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

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

const CREATED_MICROS = 'cast(extract(epoch from created_at) * 1000000 as bigint)';
/** SQL for a time. It is exact: the value is below 2^53 microseconds. */
const MOMENT = `timestamptz 'epoch' + cast(? as bigint) * interval '1 microsecond'`;

/** Lists interns, the newest first. */
export function createInternReadModel(handle: Handle) {
  return {
    async list(filter: InternFilter): Promise<{ intern: Intern; position: InternPosition }[]> {
      const { workspaceId, statuses, after, limit } = filter;
      const rows = await uncheckedRowsOf<InternRow & { created_micros: string }>(
        handle,
        `select l.*, ${CREATED_MICROS} created_micros from (${INTERNS}
           where i.workspace_id = ?
             ${statuses === undefined ? '' : 'and i.status = any(?)'}
             ${after === undefined ? '' : `and (i.created_at, i.id) < (${MOMENT}, cast(? as uuid))`}
           order by i.created_at desc, i.id desc limit ?) l order by created_at desc, id desc`,
        [
          workspaceId,
          ...(statuses === undefined ? [] : [[...statuses]]),
          ...(after === undefined ? [] : [after.createdMicros, after.id]),
          limit,
        ],
      );
      return rows.map((row) => ({
        intern: toIntern(row),
        position: { createdMicros: row.created_micros, id: row.id },
      }));
    },
  };
}
