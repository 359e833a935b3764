/** Compares `GET /generation` with a bare server that reads the same row. */
import { startMeasuredGateway } from '../gateway-process.ts';
import { createComparison, type Side } from '../live/comparison.ts';
import { startServer } from '../live/processes.ts';
import { rawGet, recordOne } from './single-read.ts';

/** The seconds of one round, and the pairs of rounds for each row. */
const [seconds = 4, rounds = 5] = process.argv.slice(2).map(Number);
const POOL_MAX = 10;

const gateway = await startMeasuredGateway({ env: { DATABASE_POOL_MAX: `${POOL_MAX}` } });
const id = await recordOne(gateway);
const bare = await startServer('reads/bare-read.ts', [
  gateway.databaseUrl,
  `${POOL_MAX}`,
  gateway.organizationId,
]);

const comparison = createComparison({ seconds, rounds, referenceName: 'bare Koa + pg, no key' });
const read = (side: Omit<Side, 'request'>, target: string): Side => ({
  ...side,
  request: rawGet(target, gateway.apiKey),
});
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
