import { readdir } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { newGenerationId, newUuid } from '../../../domain/ids.ts';
import { eventually } from '../../support/eventually.ts';
import { makeGeneration } from '../../support/make-generation.ts';
import { type LedgerScene, openLedgerScene } from '../../support/ledger-scene.ts';

let scene: LedgerScene;
beforeEach(async () => {
  scene = await openLedgerScene();
});
afterEach(() => scene.close());

const SPOOL = { spool: { maxBytes: 1_000_000 } };
const AGREES = /The ledger agrees\.$/;
const make = (count: number) =>
  Array.from({ length: count }, () => makeGeneration({ organizationId: newUuid() }));
const idsOf = (generations: { id: string }[]) => generations.map(({ id }) => id);
const ones = (count: number) => Array.from({ length: count }, () => 1);

describe('a record', () => {
  test('is committed when its promise resolves, with everything that is known of it', async () => {
    const ledger = await scene.open();
    const generation = makeGeneration({
      app: { origin: 'https://app.example', title: 'Kites' },
      usage: {
        prompt: 1,
        completion: 2,
        reasoning: 3,
        cacheRead: 4,
        cacheWrite: 5,
        promptAudio: 6,
        completionImage: 7,
      },
      sample: { category: 'programming', languageType: 'english', weight: 100 },
      inputModalities: ['text', 'image'],
      externalUser: `"quoted" \\ {braces}, and ' more`,
      sessionId: 'NULL',
      country: 'DE',
      details: { ...makeGeneration().details, providerResponses: [{ status: 200, note: '"\\"' }] },
    });
    await ledger.record(generation);
    const { rows } = await scene.database.query(
      `select * from generations join generation_details using (created_at, id) join apps a on a.id = app_id
       where generations.id = $1`,
      [generation.id],
    );
    expect(rows).toEqual([
      expect.objectContaining({
        key_id: '1',
        tokens_prompt: 1,
        tokens_completion: 2,
        tokens_reasoning: 3,
        tokens_cache_read: 4,
        tokens_cache_write: 5,
        tokens_prompt_audio: 6,
        tokens_completion_image: 7,
        sample_category: 'programming',
        sample_language: 'english',
        sample_weight: 100,
        input_modalities: 3,
        external_user: `"quoted" \\ {braces}, and ' more`,
        session_id: 'NULL',
        country: 'DE',
        origin: 'https://app.example',
        title: 'Kites',
        provider_responses: [{ status: 200, note: '"\\"' }],
      }),
    ]);
    expect(rows[0].settled_at).toEqual(generation.settledAt);
    expect(await scene.verify()).toMatch(AGREES);
  });

  test('that is repeated, in the same batch or a later one, adds nothing', async () => {
    const ledger = await scene.open();
    const generations = make(50);
    await Promise.all([...generations, ...generations].map((generation) => ledger.record(generation)));
    await Promise.all(generations.map((generation) => ledger.record(generation)));
    const { rows } = await scene.database.query('select sum(request_count)::integer n from daily_usage');
    expect(rows).toEqual([{ n: 50 }]);
    expect(await scene.verify()).toMatch(AGREES);
  });

  test('makes the partition of its day when there is none', async () => {
    const ledger = await scene.open();
    const days = ['2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00Z'].map((time) =>
      makeGeneration({ id: newGenerationId(Date.parse(time)) }),
    );
    await Promise.all(days.map((generation) => ledger.record(generation)));
    const { rows } = await scene.database.query(
      'select tableoid::regclass::text "table" from generations order by created_at',
    );
    expect(rows).toEqual([{ table: 'generations_20260228' }, { table: 'generations_20260301' }]);
  });

  test('with a NUL in what the caller wrote is billed like any other', async () => {
    const ledger = await scene.open();
    const generation = makeGeneration({
      externalUser: 'a\u0000b',
      sessionId: '\u0000',
      app: { origin: 'https://a.example', title: '\u0000' },
      details: { ...makeGeneration().details, userAgent: '\ud800 \u2028\u0000' },
    });
    await ledger.record(generation);
    expect(await scene.timesRecorded([generation.id])).toEqual([1]);
    expect(scene.errors).toEqual([]);
  });

  test('that Postgres refuses is set aside alone, and the rest of its batch is billed', async () => {
    const ledger = await scene.open();
    const generations = make(20);
    const poison = [
      makeGeneration({ usage: { prompt: 2 ** 40, completion: 1 } }),
      makeGeneration({ id: 'no id at all' }),
      makeGeneration({ status: 'exploded' as 'failed' }),
    ];
    const all = [...generations.slice(0, 7), ...poison, ...generations.slice(7)];
    await Promise.all(all.map((generation) => ledger.record(generation)));
    expect(await scene.timesRecorded(idsOf(generations))).toEqual(ones(20));
    const { rows } = await scene.database.query('select generation_id from generation_rejects');
    expect(new Set(rows.map((row) => row.generation_id))).toEqual(new Set(idsOf(poison)));
    expect(new Set(scene.errors.map(({ generationId }) => generationId))).toEqual(new Set(idsOf(poison)));
    expect(await scene.verify()).toMatch(/3 in generation_rejects[^]*The ledger agrees\.$/);
  });

  test('of one app has one id, whichever process meets the app first', async () => {
    const ledgers = [await scene.open(), await scene.open(), await scene.open({ shard: 1 })];
    const app = { origin: 'https://app.example', title: null };
    for (let round = 0; round < 2; round += 1) {
      await Promise.all(ledgers.map((ledger) => ledger.record(makeGeneration({ app }))));
    }
    const { rows } = await scene.database.query(
      'select title, count(distinct app_id)::integer ids, count(*)::integer n from generations join apps a on a.id = app_id group by 1',
    );
    expect(rows).toEqual([{ title: '', ids: 1, n: 6 }]);
  });

  test('after the end is refused', async () => {
    const ledger = await scene.open();
    await ledger.close();
    await expect(ledger.record(makeGeneration())).rejects.toMatchObject({ code: 'unavailable' });
    expect(() => ledger.requireOpen()).toThrow(expect.objectContaining({ code: 'unavailable' }));
  });
});

describe('without a spool', () => {
  test.each(['refusal', 'silence'] as const)(
    'a batch whose answer is lost by %s is added once',
    async (outage) => {
      const ledger = await scene.open();
      await ledger.record(makeGeneration());
      const generations = make(30);
      const lost = scene.proxy.cutAfter('sluice-record-generations', outage);
      const recorded = Promise.all(generations.map((generation) => ledger.record(generation)));
      await lost;
      await scene.proxy.restore();
      await recorded;
      expect(await scene.timesRecorded(idsOf(generations))).toEqual(ones(30));
      expect(await scene.verify()).toMatch(AGREES);
    },
  );

  test('answers wait for Postgres, nothing new is let in, and all goes on when it is back', async () => {
    const ledger = await scene.open();
    await ledger.record(makeGeneration());
    ledger.requireOpen();
    scene.proxy.cut('refusal');
    const generations = make(10);
    const recorded = Promise.all(generations.map((generation) => ledger.record(generation)));
    await eventually('a closed door', async () => isClosed(ledger));
    expect(() => ledger.requireOpen()).toThrow(
      expect.objectContaining({ code: 'unavailable', options: { headers: { 'Retry-After': '5' } } }),
    );
    await scene.proxy.restore();
    await recorded;
    await eventually('an open door', async () => !isClosed(ledger) || undefined);
    expect(await scene.timesRecorded(idsOf(generations))).toEqual(ones(10));
  });
});

test('nothing new is let in while too many rows wait', async () => {
  const ledger = await scene.open({ maxWaiting: 5 });
  scene.proxy.cut('silence');
  const recorded = make(5).map((generation) => ledger.record(generation));
  expect(isClosed(ledger)).toBe(true);
  await scene.proxy.restore();
  await Promise.all(recorded);
  expect(isClosed(ledger)).toBeUndefined();
});

describe('with a spool', () => {
  test.each(['refusal', 'silence'] as const)(
    'answers are released while Postgres is away by %s, and the rows are in the ledger once when it is back',
    async (outage) => {
      const ledger = await scene.open(SPOOL);
      await ledger.record(makeGeneration());
      expect(ledger.isBehind()).toBe(false);
      const generations = make(40);
      const lost = scene.proxy.cutAfter('sluice-record-generations', outage);
      const first = Promise.all(generations.slice(0, 20).map((generation) => ledger.record(generation)));
      await lost;
      await first;
      await Promise.all(generations.slice(20).map((generation) => ledger.record(generation)));
      ledger.requireOpen();
      expect(ledger.isBehind()).toBe(true);
      await scene.proxy.restore();
      await eventually('the replay', async () => !ledger.isBehind() || undefined);
      expect(await scene.timesRecorded(idsOf(generations))).toEqual(ones(40));
      expect(await readdir(scene.spoolFolder)).toEqual([]);
      expect(await scene.verify()).toMatch(AGREES);
    },
  );

  test('that is full, nothing new is let in, what is under way is kept, and it opens again by itself', async () => {
    const ledger = await scene.open({ spool: { maxBytes: 10_000 } });
    await ledger.record(makeGeneration());
    scene.proxy.cut('refusal');
    const generations = make(60);
    for (const generation of generations) await ledger.record(generation);
    expect(isClosed(ledger)).toBe(true);
    await scene.proxy.restore();
    await eventually('an open door', async () => !isClosed(ledger) || undefined);
    await eventually('the replay', async () => !ledger.isBehind() || undefined);
    expect(await scene.timesRecorded(idsOf(generations))).toEqual(ones(60));
  });

  test('what a process left behind is replayed by the next one', async () => {
    const first = await scene.open(SPOOL);
    scene.proxy.cut('refusal');
    const generations = make(10);
    await Promise.all(generations.map((generation) => first.record(generation)));
    await first.close();
    expect(await readdir(scene.spoolFolder)).toHaveLength(1);
    await scene.proxy.restore();
    await scene.open(SPOOL);
    await eventually('an empty folder', async () =>
      (await readdir(scene.spoolFolder)).length === 0 ? true : null,
    );
    expect(await scene.timesRecorded(idsOf(generations))).toEqual(ones(10));
  });
});

function isClosed(ledger: { requireOpen(): void }): true | undefined {
  try {
    ledger.requireOpen();
    return undefined;
  } catch {
    return true;
  }
}
