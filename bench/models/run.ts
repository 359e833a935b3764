/** Compares `GET /models` on a large catalog with a bare server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createDatabase } from '../../db/connection.ts';
import { parseCatalogFile } from '../../providers/catalog-file.ts';
import { importCatalog } from '../../services/catalog/import-catalog.ts';
import { type MeasuredGateway, startMeasuredGateway } from '../gateway-process.ts';
import { createComparison } from '../live/comparison.ts';
import { startServer } from '../live/processes.ts';

/** The seconds of one round, and the pairs of rounds for each row. */
const [seconds = 4, rounds = 5] = process.argv.slice(2).map(Number);
const MODELS = 500;

const gateway = await startMeasuredGateway();
await importModels(gateway);
const list = await readList(gateway);
const folder = mkdtempSync(path.join(tmpdir(), 'sluice-models-'));
const file = path.join(folder, 'models.json');
writeFileSync(file, list);
const bare = await startServer('models/bare-list.ts', [file]);

const comparison = createComparison({ seconds, rounds, referenceName: 'bare Koa, no key' });
process.stdout.write(`${MODELS} models, ${list.length} bytes\n`);
for (const connections of [32, 128]) {
  await comparison.throughput(
    {
      name: `GET /models, ${connections} connections`,
      connections,
      product: { ...gateway, request: rawGet('/api/v1/models') },
      reference: { ...bare, request: rawGet('/') },
    },
    0.8,
  );
}

await bare.close();
await gateway.close();
rmSync(folder, { recursive: true });
process.stdout.write(`\n${comparison.render()}\n`);

function rawGet(target: string): Buffer {
  const head = [`GET ${target} HTTP/1.1`, 'host: 127.0.0.1', `authorization: Bearer ${gateway.apiKey}`];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n`);
}

async function importModels({ database }: MeasuredGateway): Promise<void> {
  const names = Array.from({ length: MODELS }, (_, n) => `bench/model-${n}`);
  const catalog = parseCatalogFile({
    providers: [
      { slug: 'bench', name: 'Bench', adapter: 'openai-compatible', baseUrl: 'https://bench.example/v1' },
    ],
    models: names.map((id, n) => ({
      id,
      canonicalSlug: id,
      name: `Bench: Model ${n}`,
      description: `One of many. ${'It says what models usually say of themselves. '.repeat(8)}`,
      inputModalities: ['text', 'image'],
      outputModalities: ['text'],
      contextLength: 128_000,
      tokenizer: 'Other',
      createdAt: '2026-01-01T00:00:00Z',
    })),
    endpoints: [],
    liveEndpoints: names.map((modelId) => ({
      id: `${modelId}@bench`,
      modelId,
      providerSlug: 'bench',
      capability: 'chat',
      upstreamModelId: modelId,
      pricing: { prompt: '0.000001', completion: '0.000002', inputCacheRead: '0.0000001' },
      supportedParameters: ['max_tokens', 'response_format', 'seed', 'stop', 'temperature', 'tools', 'top_p'],
    })),
  });
  const { rows } = await database.query<{ id: string }>('select id from organizations limit 1');
  const handle = createDatabase({ url: database.options.connectionString ?? '', poolMax: 1 });
  const options = { organizationId: rows[0]!.id, digest: 'bench', dryRun: false };
  const result = await importCatalog(handle.knex, catalog, options);
  await handle.close();
  if ('issues' in result) throw new Error(JSON.stringify(result.issues));
}

/** Waits until the measured process has loaded the import, and returns the list. */
async function readList({ origin, apiKey }: MeasuredGateway): Promise<string> {
  for (;;) {
    const response = await fetch(`${origin}/api/v1/models`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const text = await response.text();
    if ((JSON.parse(text) as { total_count: number }).total_count >= MODELS) return text;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
