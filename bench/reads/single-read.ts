/** Prepares one recorded generation, and the request that reads it. */
import { createLedgerConnection } from '../../db/ledger/ledger-connection.ts';
import { makeGeneration } from '../../test/support/make-generation.ts';
import type { MeasuredGateway } from '../gateway-process.ts';

/** The number of partitions in production, on which the cost of a read depends. */
const DAYS_KEPT = 90;

/** Records a generation of the key's workspace, with the partitions of that many days. Returns its id. */
export async function recordOne({ database, databaseUrl: url, ...place }: MeasuredGateway): Promise<string> {
  const { organizationId, workspaceId } = place;
  await database.query(
    `select ensure_ledger_partition(now() - n * interval '1 day') from generate_series(0, $1::integer) n`,
    [DAYS_KEPT],
  );
  const response = {
    provider: 'local',
    provider_name: 'local',
    endpoint_id: 'e',
    status: 200,
    latency: 90,
    is_byok: false,
  };
  const base = makeGeneration({ organizationId, workspaceId });
  const record = { ...base, details: { ...base.details, providerResponses: [response] } };
  const ledger = createLedgerConnection({ url, shard: 0, silenceMs: 10_000 });
  await ledger.record([record]);
  await ledger.close();
  await database.query('vacuum analyze');
  return record.id;
}

/** Returns a GET request with the gateway's key as bytes, for clients that use almost no processor time. */
export function rawGet(target: string, apiKey: string): Buffer {
  const head = [`GET ${target} HTTP/1.1`, 'host: 127.0.0.1', `authorization: Bearer ${apiKey}`];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n`);
}
