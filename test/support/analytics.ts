import { createLedgerConnection } from '../../db/ledger/ledger-connection.ts';
import type { GenerationRecord } from '../../domain/ledger/generation.ts';
import { newGenerationId, timestampOfId } from '../../domain/ids.ts';
import { addDays, startOf, type UtcDay, utcDayOf } from '../../domain/utc-day.ts';
import type { Caller } from './caller.ts';
import type { Gateway } from './gateway.ts';
import { makeGeneration } from './make-generation.ts';

export type WireRow = Record<string, string | number | null>;

export interface WireAnalytics {
  cachedAt: number;
  data: WireRow[];
  metadata: { query_time_ms: number; row_count: number; truncated: boolean };
  warnings?: string[];
}

/** The answer to a query that is right. */
export async function analyze(manager: Caller, body: object): Promise<WireAnalytics> {
  const response = await manager.call('POST', '/analytics/query', { body });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
  return (JSON.parse(text) as { data: WireAnalytics }).data;
}

/** Generations of the gateway's organization and default workspace, unless the facts say otherwise; by key 1. */
export async function recordGenerations(
  { config, organizationId, workspaceId }: Gateway,
  facts: Partial<GenerationRecord>[],
): Promise<GenerationRecord[]> {
  const records = facts.map((some) => makeGeneration({ organizationId, workspaceId, ...some }));
  const connection = createLedgerConnection({ url: config.database.url, shard: 0, silenceMs: 10_000 });
  await connection.ensurePartitions(records.map(({ id }) => new Date(timestampOfId(id))));
  await connection.record(records);
  await connection.close();
  return records;
}

/** Records a request of yesterday, which `GET /activity` lists, and resolves with the day. */
export async function recordYesterday(gateway: Gateway): Promise<UtcDay> {
  const day = addDays(utcDayOf(new Date()), -1);
  const settledAt = startOf(day);
  const id = newGenerationId(settledAt.getTime());
  await recordGenerations(gateway, [{ id, settledAt, model: 'local/echo-1', provider: 'local' }]);
  return day;
}
