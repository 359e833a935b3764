import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { newGenerationId, newUuid } from '../../../domain/ids.ts';
import { NO_METRICS } from '../../../platform/metrics.ts';
import { listSpools } from '../../../services/ledger/spool/spool-files.ts';
import { eventually } from '../../support/eventually.ts';
import { makeGeneration } from '../../support/make-generation.ts';
import { type LedgerScene, openLedgerScene } from '../../support/ledger-scene.ts';
import { summed } from '../../support/summed.ts';

let scene: LedgerScene;
beforeEach(async () => {
  scene = await openLedgerScene();
});
afterEach(() => scene.close());

const AGREES = /The ledger agrees\.$/;
const make = (count: number) =>
  Array.from({ length: count }, () => makeGeneration({ organizationId: newUuid() }));
const idsOf = (generations: { id: string }[]) => generations.map(({ id }) => id);
const ones = (count: number) => Array.from({ length: count }, () => 1);

describe('a record', () => {
  test('resolves once it is committed with all of its columns', async () => {
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
        sample_language_type: 'english',
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

  test('adds nothing when it is repeated in the same batch or a later one', async () => {
    const ledger = await scene.open();
    const generations = make(50);
    await Promise.all([...generations, ...generations].map((generation) => ledger.record(generation)));
    await Promise.all(generations.map((generation) => ledger.record(generation)));
    await summed(scene.database);
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

  test('succeeds with NUL characters in texts of the caller', async () => {
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

  test('cuts long texts at the limits of their columns, never within a character', async () => {
    const ledger = await scene.open();
    const long = `${'a'.repeat(255)}🗝${'b'.repeat(10_000)}`;
    const providerResponses = [{ note: long }];
    const generation = makeGeneration({
      model: long,
      finishReason: long,
      externalUser: `a${'🗝'.repeat(1_000)}`,
      sessionId: '🗝'.repeat(1_000),
      app: { origin: `https://${'🗝'.repeat(1_000)}`, title: `a${'🗝'.repeat(1_000)}` },
      details: {
        upstreamId: long,
        nativeFinishReason: long,
        serviceTier: `\ud800${long}`,
        httpReferer: long,
        appTitle: long,
        userAgent: long,
        requestId: long,
        providerResponses,
      },
    });
    await ledger.record(generation);
    const { rows } = await scene.database.query(
      `select * from generations join generation_details using (created_at, id) join apps a on a.id = app_id
       where generations.id = $1`,
      [generation.id],
    );
    const cut = 'a'.repeat(255);
    expect(rows).toMatchObject([
      {
        model: cut,
        finish_reason: cut,
        external_user: `a${'🗝'.repeat(511)}`,
        session_id: '🗝'.repeat(256),
        title: `a${'🗝'.repeat(63)}`,
        origin: `https://${'🗝'.repeat(146)}`,
        upstream_id: cut,
        native_finish_reason: cut,
        service_tier: `\ufffd${cut}`,
        http_referer: cut,
        app_title: cut,
        user_agent: cut,
        request_id: cut,
        provider_responses: providerResponses,
      },
    ]);
    expect(await scene.verify()).toMatch(AGREES);
  });

  test('goes to generation_rejects alone when Postgres refuses it', async () => {
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
    expect(await scene.verify()).toMatch(/Rejects: 3 answered[^]*The ledger agrees\.$/);
  });

  test('has one id for its app from any process', async () => {
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

  test('names no new app once its organization has 1,000 apps', async () => {
    const ledger = await scene.open();
    const [busy, other] = [newUuid(), newUuid()];
    const of = (organizationId: string, n: number) =>
      makeGeneration({ organizationId, app: { origin: `https://${n}.example`, title: null } });
    for (let n = 0; n < 1_500; n += 500) {
      await Promise.all(Array.from({ length: 500 }, (_, place) => ledger.record(of(busy, n + place))));
    }
    const last = [of(busy, 9_999), of(busy, 3), of(other, 9_998)];
    for (const generation of last) await ledger.record(generation);
    const { rows } = await scene.database.query<{ id: string; origin: string | null }>(
      'select g.id, origin from generations g left join apps a on a.id = app_id',
    );
    const originOf = new Map(rows.map(({ id, origin }) => [id, origin]));
    expect(last.map(({ id }) => originOf.get(id))).toEqual([
      null,
      'https://3.example',
      'https://9998.example',
    ]);
    expect(rows.filter(({ origin }) => origin === null).length).toBeGreaterThan(400);
    expect(await scene.verify()).toMatch(AGREES);
  });
});

test('rows are recorded although the metrics of an earlier batch failed', async () => {
  const fail = (): void => {
    throw new Error('no such series');
  };
  const ledger = await scene.open({ maxWaiting: 1, metrics: { ...NO_METRICS, histogram: () => () => fail } });
  const generations = make(2);
  for (const generation of generations) await ledger.record(generation);
  expect(await scene.timesRecorded(idsOf(generations))).toEqual([1, 1]);
  await ledger.close();
  expect(scene.errors).toMatchObject([{ err: { message: 'no such series' } }, {}]);
});

describe('a ledger that closes', () => {
  test('closes without errors while it connects to replay its spool', async () => {
    const ledger = await scene.open({ spool: { maxBytes: 1_000_000 } });
    await ledger.close();
    expect(scene.errors).toEqual([]);
  });

  test('refuses new requests and waits for the rows of those in flight', async () => {
    const ledger = await scene.open();
    const requests = Promise.withResolvers<void>();
    const closed = ledger.close(requests.promise);
    expect(() => ledger.requireOpen()).toThrow(expect.objectContaining({ code: 'unavailable' }));
    const generations = make(30);
    await Promise.all(generations.map((generation) => ledger.record(generation)));
    const last = makeGeneration();
    void ledger.record(last);
    requests.resolve();
    await closed;
    expect(await scene.timesRecorded([...idsOf(generations), last.id])).toEqual(ones(31));
    expect(await scene.verify()).toMatch(AGREES);
  });

  test('keeps a row that comes while it writes its last ones', async () => {
    const ledger = await scene.open();
    const [first, second] = [makeGeneration(), makeGeneration()];
    const recorded = ledger.record(first);
    const closed = ledger.close();
    await Promise.all([recorded, ledger.record(second), closed]);
    expect(await scene.timesRecorded([first.id, second.id])).toEqual([1, 1]);
  });

  test('keeps a row that comes after it has closed', async () => {
    const ledger = await scene.open();
    await ledger.close();
    const late = make(3);
    await Promise.all(late.map((generation) => ledger.record(generation)));
    expect(await scene.timesRecorded(idsOf(late))).toEqual(ones(3));
  });

  test('spools a row that comes after it has closed, for replay by another', async () => {
    const spool = { maxBytes: 1_000_000 };
    const ledger = await scene.open({ spool });
    await ledger.close();
    scene.proxy.cut('refusal');
    const late = makeGeneration();
    await ledger.record(late);
    expect(await listSpools(scene.spoolFolder)).toHaveLength(1);

    await scene.proxy.restore();
    // Another ledger of the same process is another holder, to which the file counts as abandoned.
    await scene.open({ spool });
    await eventually('the row', async () =>
      (await scene.timesRecorded([late.id]))[0] === 1 ? true : undefined,
    );
  });

  test('names the lost row when neither Postgres nor a spool takes it', async () => {
    const ledger = await scene.open();
    await ledger.close();
    scene.proxy.cut('refusal');
    const late = makeGeneration();
    await expect(ledger.record(late)).rejects.toMatchObject({ code: 'unavailable' });
    expect(scene.errors).toMatchObject([{ generationId: late.id }]);
  });
});
