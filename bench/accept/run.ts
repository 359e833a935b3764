/** Compares how fast video jobs are accepted with a bare server that inserts one row. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startApiProcess } from '../../test/support/api-process.ts';
import { type Gateway, startGateway } from '../../test/support/gateway.ts';
import { median, renderTable, spread } from '../table.ts';
import { requestsPerSecond } from './load.ts';

/** The requests of one round, and the pairs of rounds. */
const [requests = 2_000, rounds = 5] = process.argv.slice(2).map(Number);
const CONNECTIONS = 32;
const BODY = JSON.stringify({ model: 'local/clip-canned', prompt: 'a benchmark' });

// No worker runs, so the benchmark measures only the acceptance. The API still starts workflows in the background, as
// in production.
const gateway = await startGateway();
const api = await startApiProcess(gateway, { LOG_LEVEL: 'info', MAX_OPEN_JOBS: '1000000' });
const bare = await startBareServer(gateway);

const sides = {
  product: { url: `${api.origin}/api/v1/videos`, rates: [] as number[] },
  bare: { url: bare.url, rates: [] as number[] },
};
const headers = { authorization: `Bearer ${gateway.apiKey}` };
const round = (url: string, count: number): Promise<number> =>
  requestsPerSecond({
    url,
    headers,
    body: BODY,
    connections: CONNECTIONS,
    requests: count,
    expectedStatus: 202,
  });

for (const { url } of Object.values(sides)) await round(url, requests / 4);
for (let n = 1; n <= rounds; n += 1) {
  const order = n % 2 === 1 ? Object.values(sides) : Object.values(sides).toReversed();
  for (const side of order) side.rates.push(await round(side.url, requests));
  process.stdout.write(`round ${n} of ${rounds} done\n`);
}
await bare.stop();
await api.kill();
await gateway.close();

const costs = sides.bare.rates.map((rate, i) => rate / sides.product.rates[i]!);
process.stdout.write(
  `\n${requests} requests a round at ${CONNECTIONS} connections, ${rounds} rounds\n\n${renderTable(
    ['', 'min', 'median', 'max'],
    [
      ['product, jobs accepted/s', ...spread(sides.product.rates, 0)],
      ['bare Koa + pg insert, rows/s', ...spread(sides.bare.rates, 0)],
      ['cost of the product, bare = 1', ...spread(costs, 2)],
    ],
  )}\n\nmedian cost ${median(costs).toFixed(2)}; the bar is 2.5\n`,
);

async function startBareServer(product: Gateway): Promise<{ url: string; stop(): Promise<void> }> {
  const { rows } = await product.database.query<{ id: string }>(
    `select id from api_keys where kind = 'regular' limit 1`,
  );
  const account = {
    organizationId: product.organizationId,
    workspaceId: product.workspaceId,
    keyId: Number(rows[0]!.id),
    poolMax: product.config.database.poolMax,
  };
  const script = fileURLToPath(new URL('bare-server.ts', import.meta.url));
  const child = spawn(process.execPath, ['--no-warnings', script, JSON.stringify(account)], {
    env: { ...process.env, DATABASE_URL: product.config.database.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
