/** Looks up one generation as an event, for the preview of an observability destination. */
import type { BroadcastEvent } from '../../domain/broadcast/event.ts';
import type { BroadcastFacts } from '../../domain/ledger/broadcast-facts.ts';
import type { Handle } from '../postgres/connection.ts';
import { json } from '../postgres/shape.ts';
import { rowsOf } from '../postgres/statement.ts';
import { EVENT_COLUMNS, EVENT_ROW, joinEvents, toEvent } from './event-rows.ts';

/** Identifies a generation of a workspace. `createdAt` is the time inside its id. */
export interface EventReference {
  organizationId: string;
  workspaceId: string;
  generationId: string;
  createdAt: Date;
}

const EVENT = `
  select null::json facts, ${EVENT_COLUMNS}
  from (select :createdAt::timestamptz created_at, :generationId::text generation_id) requested
  ${joinEvents('requested')}
  where g.organization_id = :organizationId and g.workspace_id = :workspaceId`;

/**
 * Selects the facts of a generation from the log, which has no index by generation. A generation is logged within a
 * minute, so this searches one or two partitions.
 */
const FACTS = `
  select facts from broadcast_log
  where workspace_id = :workspaceId and moved_at >= :settledAt::timestamptz - interval '5 seconds'
    and moved_at < :settledAt::timestamptz + interval '1 minute' and generation_id = :generationId limit 1`;

/**
 * Finds a generation and returns it as the log's reader does, without its content. Facts that only the log holds are
 * missing if its row is deleted, or was written late.
 */
export async function findEvent(handle: Handle, reference: EventReference): Promise<BroadcastEvent | null> {
  const { workspaceId, generationId } = reference;
  const [row] = await rowsOf(handle, EVENT_ROW, EVENT, { ...reference });
  if (row === undefined) return null;
  const values = { workspaceId, generationId, settledAt: row.settledAt };
  const [logged] = await rowsOf(handle, { facts: json<BroadcastFacts>().orNull }, FACTS, values);
  return toEvent({ ...row, facts: logged?.facts ?? null });
}
