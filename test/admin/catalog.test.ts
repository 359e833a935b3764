import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createDatabase, type Database } from '../support/open-database.ts';
import { seedCatalog } from '../../services/catalog/seed-catalog.ts';
import { runCatalog } from '../../admin/catalog.ts';
import { runAdmin } from '../support/admin.ts';
import { acmeCatalog, acmeEndpoint } from '../support/catalog-file.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ended, submit } from '../support/jobs.ts';

let gateway: Gateway;
let database: Database;
let folder: string;

beforeAll(async () => {
  const env = { PROVIDER_ACME_CLIPS_API_KEY: 'upstream-key' };
  [gateway, folder] = await Promise.all([
    startGateway({ worker: ['video'], env }),
    mkdtemp(path.join(tmpdir(), 'sluice-catalog-')),
  ]);
  database = createDatabase({ url: gateway.config.database.url, poolMax: 1 });
});

afterAll(async () => {
  await database.close();
  await gateway.close();
  await rm(folder, { recursive: true });
});

/** A provider of its own for each test, on the gateway's upstream, with one chat model. */
let provider: string;
let model: string;
let count = 0;
beforeEach(() => {
  count += 1;
  provider = `acme-${count}`;
  model = `${provider}/fast`;
});

const endpoint = (change: object = {}) => acmeEndpoint(provider, change);

function catalog(modelChange: object = {}, liveEndpoints = [endpoint()]) {
  const { baseUrl = null } = gateway.config.providers('local');
  return acmeCatalog(provider, baseUrl, modelChange, liveEndpoints);
}

/** What the command prints. */
async function run(file: unknown, ...options: string[]): Promise<string> {
  const name = path.join(folder, 'catalog.json');
  await writeFile(name, typeof file === 'string' ? file : JSON.stringify(file));
  return (await runCatalog(database.knex, ['import', name, ...options])).text;
}

async function modelIs(expected: object): Promise<void> {
  await eventually(`${model} as ${JSON.stringify(expected)}`, async () => {
    const response = await gateway.call('GET', `/model/${model}`);
    const { data } = (await response.json()) as { data?: object };
    try {
      expect({ status: response.status, data }).toMatchObject(expected);
      return true;
    } catch {
      return undefined;
    }
  });
}

async function imports(): Promise<number> {
  const { rows } = await gateway.database.query<{ n: number }>(
    `select count(*)::integer n from audit_log where action = 'importCatalog'`,
  );
  return rows[0]!.n;
}

describe('catalog import', () => {
  test('adds a model that every running process serves with all its fields', async () => {
    const before = await imports();
    expect(await run(catalog())).toBe(
      `provider ${provider}: added\nmodel ${model}: added\nendpoint ${model}@${provider}: added\n\n3 changes imported.`,
    );
    await modelIs({
      status: 200,
      data: {
        knowledge_cutoff: '2026-01-31',
        reasoning: { mandatory: false, supported_efforts: ['high', 'low'] },
        default_parameters: { temperature: 0.7, top_p: null },
        benchmarks: {
          artificial_analysis: { intelligence_index: 61.5, coding_index: null, agentic_index: null },
          design_arena: [],
        },
      },
    });
    const lists = await gateway.call('GET', '/models?category=legal&min_intelligence_index=61.5');
    expect(await lists.json()).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ id: model })]),
    });
    const providers = await gateway.call('GET', '/providers');
    expect(await providers.text()).toContain('"headquarters":"DE"');
    expect(await imports()).toBe(before + 1);
  });

  test('prints the changes with --dry-run and writes nothing', async () => {
    await run(catalog());
    const before = await imports();
    const cheaper = endpoint({ pricing: { prompt: '0.0000005', completion: '0.000002' } });
    const changed = catalog({ contextLength: null }, [cheaper]);
    const printed = await run(changed, '--dry-run');
    expect(printed).toBe(
      [
        `model ${model}: changed`,
        '    contextLength: 4096 → nothing',
        `endpoint ${model}@${provider}: changed`,
        '    pricing.prompt: "0.000001" → "0.0000005"',
        '',
        '2 changes; nothing was written.',
      ].join('\n'),
    );
    expect(await imports()).toBe(before);
    expect(await run(changed, '--dry-run')).toBe(printed);
    expect(await run(changed)).toContain('2 changes imported.');
    expect(await run(changed)).toBe('The catalog already matches the file.');
    await modelIs({ data: { context_length: null, pricing: { prompt: '0.0000005' } } });
  });

  test('switches off endpoints missing from the file, and on those that return', async () => {
    const other = endpoint({ id: `${model}@second`, upstreamModelId: 'echo-1' });
    await run(catalog({}, [endpoint(), other]));
    const printed = await run(catalog({}, []));
    expect(printed).toContain(`endpoint ${model}@${provider}: switched off\n`);
    expect(printed).toContain('2 changes imported.');
    await modelIs({ status: 404 });
    expect((await runCatalog(database.knex, ['list'])).text).toMatch(
      new RegExp(`^${model} +${model}@${provider} +${provider} +chat +imported +off$`, 'm'),
    );
    const again = await run(catalog());
    expect(again).toBe(`endpoint ${model}@${provider}: switched on\n\n1 change imported.`);
    await modelIs({ status: 200 });
  });

  test('keeps an imported provider unchanged when bundled catalogs are seeded', async () => {
    const { rows } = await gateway.database.query<{ name: string }>(
      `select name from providers where slug = 'cohere'`,
    );
    expect(rows[0]!.name).toBe('Cohere');
    const cohere = {
      slug: 'cohere',
      name: 'Our Cohere',
      adapter: 'cohere',
      baseUrl: 'https://cohere.example',
    };
    await run({ providers: [cohere], models: [], endpoints: [], liveEndpoints: [] });
    await seedCatalog(database.knex);
    const after = await gateway.database.query<{ name: string; enabled: number }>(
      `select name, (select count(*)::integer from endpoints where provider_slug = slug and enabled) enabled
       from providers where slug = 'cohere'`,
    );
    expect(after.rows).toEqual([{ name: 'Our Cohere', enabled: 0 }]);
  });

  test('lets a job finish after its endpoint is switched off', async () => {
    provider = 'acme-clips';
    const id = `${provider}/clip`;
    const file = (isServed: boolean) => ({
      ...catalog({}, []),
      providers: [
        {
          slug: provider,
          name: 'Acme',
          adapter: 'local',
          baseUrl: gateway.config.providers('local').baseUrl,
        },
      ],
      models: [{ ...catalog().models[0], id, canonicalSlug: id, aliases: [], outputModalities: ['video'] }],
      endpoints: isServed
        ? [
            {
              id: `${id}@${provider}`,
              modelId: id,
              providerSlug: provider,
              upstreamModelId: 'clip-canned',
              pricingSkus: { duration_seconds: '0.01' },
              capabilities: { durations: [1], passthroughParameters: ['faults'] },
            },
          ]
        : [],
    });
    await gateway.stopWorker();
    await run(file(true));
    await eventually('the model', async () => {
      const list = await gateway.call('GET', '/videos/models');
      return (await list.text()).includes(id) ? true : undefined;
    });
    const job = await submit(gateway, { model: id });
    expect(await run(file(false))).toContain('switched off');
    await gateway.startWorker();
    expect(await ended(gateway, job.id)).toMatchObject({ status: 'completed' });
    const refused = await gateway.call('POST', '/videos', { body: { model: id, prompt: 'x' } });
    expect(refused.status).toBe(404);
    await refused.arrayBuffer();
  });

  test('names an unreadable file with status 2, and its help for wrong arguments', async () => {
    const missing = await runAdmin(gateway, ['catalog', 'import', path.join(folder, 'none.json')]);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('cannot be read: ENOENT')]);
    for (const args of [['import'], ['import', 'a', 'b'], ['export'], []]) {
      await expect(runCatalog(database.knex, args)).rejects.toThrow('See: npm run admin -- catalog --help');
    }
  });
});

describe('a bundled model with another canonical slug in the ledger', () => {
  const LEGACY = 'local/echo-1-of-before';
  const rename = (source: 'bundled' | 'imported'): Promise<unknown> =>
    gateway.database.query(`update models set canonical_slug = $1, source = $2 where id = 'local/echo-1'`, [
      LEGACY,
      source,
    ]);

  test('keeps the slug of the ledger, and migrate prints a warning', async () => {
    await rename('bundled');
    expect(await runAdmin(gateway, ['migrate'])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /^Warning: Model local\/echo-1 keeps its canonical slug local\/echo-1-of-before, .*: the local\/echo-1 of /,
      ),
    });
    const { rows } = await gateway.database.query(
      `select canonical_slug from models where id = 'local/echo-1'`,
    );
    expect(rows).toEqual([{ canonical_slug: LEGACY }]);
  });

  test('causes no warning when it was imported', async () => {
    await rename('imported');
    expect(await seedCatalog(database.knex)).toMatchObject({ keptSlugs: [] });
  });
});
