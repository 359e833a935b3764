import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDatabase, type Database } from '../../support/open-database.ts';
import { uncheckedRowsOf } from '../../support/knex-bridge.ts';
import {
  createGenerationReadModel,
  FIND_GENERATION,
  type GenerationReadModel,
} from '../../../db/insights/generation-read-model.ts';
import { createLedgerStore } from '../../../db/ledger/ledger-store.ts';
import type { GenerationRecord } from '../../../domain/ledger/generation.ts';
import { newGenerationId, newUuid, timestampOfId } from '../../../domain/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { makeGeneration } from '../../support/make-generation.ts';

let testDatabase: TestDatabase;
let database: Database;
let generations: GenerationReadModel;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 1 });
  generations = createGenerationReadModel(database.knex);
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

async function record(change: Partial<GenerationRecord>): Promise<GenerationRecord> {
  const generation = makeGeneration(change);
  const ledger = createLedgerStore(database.knex);
  await ledger.ensurePartition(createdAt(generation));
  await ledger.record(generation, 0);
  return generation;
}

const createdAt = ({ id }: GenerationRecord): Date => new Date(timestampOfId(id));

describe('a recorded generation', () => {
  test('returns every recorded field', async () => {
    const written = await record({
      costNanos: 123_456_789_012_345_678n,
      upstreamCostNanos: 7n,
      isByok: true,
      dataRegion: 'europe',
      app: { origin: 'https://app.example.com', title: 'Kites' },
      sessionId: 's',
      externalUser: 'someone',
      presetId: 'p',
      usage: { prompt: 1, completion: 2, reasoning: 3, cacheRead: 4, completionImage: 5 },
      mediaPrompt: 6,
      mediaCompletion: 7,
      details: {
        upstreamId: 'u',
        nativeFinishReason: 'end_turn',
        serviceTier: 'flex',
        httpReferer: 'https://app.example.com/x',
        appTitle: 'Kites',
        userAgent: 'ua',
        requestId: 'r',
        providerResponses: [{ status: 200 }],
      },
    });
    expect(await generations.find(written, written.id, createdAt(written))).toEqual({
      id: written.id,
      createdAt: createdAt(written),
      workspaceId: written.workspaceId,
      model: 'a/b',
      provider: 'a',
      apiType: 'completions',
      status: 'completed',
      finishReason: 'stop',
      costNanos: 123_456_789_012_345_678n,
      upstreamCostNanos: 7n,
      isByok: true,
      streamed: false,
      dataRegion: 'europe',
      externalUser: 'someone',
      presetId: 'p',
      appId: expect.any(Number),
      origin: 'https://app.example.com',
      tokensPrompt: 1,
      tokensCompletion: 2,
      tokensReasoning: 3,
      tokensCacheRead: 4,
      tokensCompletionImage: 5,
      mediaPrompt: 6,
      mediaCompletion: 7,
      latencyMs: 120,
      generationMs: 400,
      sessionId: 's',
      upstreamId: 'u',
      nativeFinishReason: 'end_turn',
      serviceTier: 'flex',
      httpReferer: 'https://app.example.com/x',
      userAgent: 'ua',
      requestId: 'r',
      providerResponses: [{ status: 200 }],
      bill: null,
      isPrivate: null,
      pricing: null,
    });
  });

  test('returns the kept bill with the version of prices that it names', async () => {
    const pricing = { prompt: '0.000001', completion: '0.000002' };
    const [version] = await uncheckedRowsOf<{ id: string }>(
      database.knex,
      `insert into price_versions (is_private, endpoint_id, pricing) values (false, 'a/b@a', ?) returning id`,
      [JSON.stringify(pricing)],
    );
    const bill = {
      prices: Number(version!.id),
      startMs: 0,
      endMs: 1,
      inputs: [],
      outputs: [],
      tokens: { prompt: 1, completion: 2 },
    };
    const { details } = makeGeneration();
    const written = await record({ details: { ...details, bill } });
    const found = await generations.find(written, written.id, createdAt(written));
    expect(found).toMatchObject({ bill, isPrivate: false, pricing });
  });

  test('can be found under its own organization and workspace only', async () => {
    const { id, organizationId, workspaceId, ...rest } = await record({});
    const find = (scope: Parameters<typeof generations.find>[0]) =>
      generations.find(scope, id, createdAt({ id, organizationId, workspaceId, ...rest }));
    expect(await find({ organizationId })).not.toBeNull();
    expect(await find({ organizationId, workspaceId })).not.toBeNull();
    expect(await find({ organizationId, workspaceId: newUuid() })).toBeNull();
    expect(await find({ organizationId: newUuid() })).toBeNull();
    expect(await find({ organizationId: newUuid(), workspaceId })).toBeNull();
  });

  test('needs only the partition of its day, without a sequential scan', async () => {
    const [, asked] = await Promise.all(
      [1, 2, 3].map((day) => record({ id: newGenerationId(Date.UTC(2025, 0, day)) })),
    );
    await fill(createdAt(asked!));
    const { id, organizationId, workspaceId } = asked!;
    const plan = await explain([createdAt(asked!), id, organizationId, workspaceId]);
    expect([...new Set(plan.match(/generation\w*_2025\w+/g))].toSorted()).toEqual([
      'generation_details_20250102',
      'generation_details_20250102_pkey',
      'generations_20250102',
      'generations_20250102_pkey',
    ]);
    expect(plan).not.toContain('Seq Scan on generation');
  });
});

/** Gives a day as many generations of one workspace as make an index worth while. */
async function fill(day: Date): Promise<void> {
  for (const table of ['generations', 'generation_details']) {
    await database.knex.raw(
      `insert into ${table}
       select copy.* from ${table} original, generate_series(1, 2000) n,
         jsonb_populate_record(original, jsonb_build_object('id', 'gen-' || n)) copy
       where original.created_at = ?`,
      [day],
    );
    await database.knex.raw(`analyze ${table}`);
  }
}

async function explain(values: (string | Date)[]): Promise<string> {
  const inlined = values.reduce<string>(
    (text, value, index) => text.replaceAll(`$${index + 1}`, literal(value)),
    FIND_GENERATION.text,
  );
  const rows = await uncheckedRowsOf<{ 'QUERY PLAN': string }>(database.knex, `explain ${inlined}`, []);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

function literal(value: string | Date): string {
  return `'${value instanceof Date ? value.toISOString() : value}'`;
}
