import type { Client } from '@temporalio/client';
import type { Pool } from 'pg';
import { directoryWorkflowId } from '../../domain/runs.ts';

const MEMBERS = [
  'organization_members',
  'workspace_members',
  'directory_memberships',
  'directory_group_members',
];

/** Watches the tables of members. Returns a function that counts the rows written or deleted since. */
export async function watchMembers(database: Pool): Promise<() => Promise<number>> {
  const { rows } = await database.query<{ now: string }>('select pg_current_xact_id()::text as now');
  const since = rows[0]!.now;
  const before = await Promise.all(MEMBERS.map((table) => count(database, table, since)));
  return async () => {
    const after = await Promise.all(MEMBERS.map((table) => count(database, table, since)));
    return after.reduce((sum, { all, written }, i) => sum + written + Math.abs(all - before[i]!.all), 0);
  };
}

/** Counts rows, and those whose present version was written by the given transaction or a later one. */
async function count(
  database: Pool,
  table: string,
  since: string,
): Promise<{ all: number; written: number }> {
  const { rows } = await database.query<{ all: number; written: number }>(
    `select count(*)::integer as all,
            count(*) filter (where xmin::text::bigint >= $1::bigint)::integer as written
     from ${table}`,
    [since],
  );
  return rows[0]!;
}

/** Sizes of a workflow's history, all runs of one execution together. */
export interface HistorySize {
  events: number;
  largestPayloadBytes: number;
}

/** Reads the history of an organization's last sync. */
export async function sizeOfHistory(temporal: Client, organizationId: string): Promise<HistorySize> {
  const size = { events: 0, largestPayloadBytes: 0 };
  let runId: string | undefined;
  do {
    const handle = temporal.workflow.getHandle(directoryWorkflowId(organizationId), runId);
    const { events = [] } = await handle.fetchHistory();
    size.events += events?.length ?? 0;
    const largest = Math.max(...payloadSizes(events));
    size.largestPayloadBytes = Math.max(size.largestPayloadBytes, largest);
    runId = events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
  } while (runId !== undefined);
  return size;
}

/** Payloads are wherever a `data` of bytes is. */
function payloadSizes(value: unknown): number[] {
  if (typeof value !== 'object' || value === null) return [0];
  return Object.entries(value).flatMap(([name, inner]) =>
    inner instanceof Uint8Array ? [name === 'data' ? inner.length : 0] : payloadSizes(inner),
  );
}
