import { createLedgerConnection } from '../../db/ledger-connection.ts';
import { makeGeneration } from '../../test/support/make-generation.ts';
import { type MeasuredGateway, startMeasuredGateway } from '../gateway-process.ts';
import { createComparison, type Side } from '../live/comparison.ts';
import { startServer } from '../live/processes.ts';

/** Seconds of one round, and pairs of rounds for each row. */
const [seconds = 4, rounds = 5] = process.argv.slice(2).map(Number);
/** As production has them: partitions are what makes such a read more than a look into an index. */
const DAYS_KEPT = 90;
const POOL_MAX = 10;

const gateway = await startMeasuredGateway({ env: { DATABASE_POOL_MAX: `${POOL_MAX}` } });
const id = await recordOne(gateway);
const bare = await startServer('reads/bare-read.ts', [
  gateway.databaseUrl,
  `${POOL_MAX}`,
  gateway.organizationId,
]);

const comparison = createComparison({ seconds, rounds, referenceName: 'bare Koa + pg, no key' });
const read = (side: Omit<Side, 'request'>, target: string): Side => ({ ...side, request: rawGet(target) });
for (const connections of [32, 128]) {
  await comparison.throughput(
    {
      name: `GET /generation, ${connections} connections`,
      connections,
      product: read(gateway, `/api/v1/generation?id=${id}`),
      reference: read(bare, `/?id=${id}`),
    },
    0.8,
  );
}

await bare.close();
await gateway.close();
process.stdout.write(`\n${comparison.render()}\n`);

function rawGet(target: string): Buffer {
  const head = [`GET ${target} HTTP/1.1`, 'host: 127.0.0.1', `authorization: Bearer ${gateway.apiKey}`];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n`);
}

/** A generation of the key's workspace, among the partitions of so many days. */
async function recordOne({ database, databaseUrl: url, ...place }: MeasuredGateway): Promise<string> {
  const { organizationId, workspaceId } = place;
  await database.query(
    `select ensure_ledger_partition(now() - n * interval '1 day') from generate_series(0, $1::integer) n`,
    [DAYS_KEPT],
  );
  const response = { provider_name: 'local', endpoint_id: 'e', status: 200, latency: 90, is_byok: false };
  const base = makeGeneration({ organizationId, workspaceId });
  const record = { ...base, details: { ...base.details, providerResponses: [response] } };
  const ledger = createLedgerConnection({ url, shard: 0, silenceMs: 10_000 });
  await ledger.record([record]);
  await ledger.close();
  await database.query('vacuum analyze');
  return record.id;
}
