import { describe, expect, test } from '@jest/globals';
import { BadRequestResponseError, TooManyRequestsResponseError } from '@openrouter/sdk/models/errors';
import { createLedgerConnection } from '../../db/ledger/ledger-connection.ts';
import { newGenerationId } from '../../domain/ids.ts';
import { addDays, startOf, utcDayOf } from '../../domain/utc-day.ts';
import { createLogger } from '../../platform/logger.ts';
import { rebuildDays } from '../../services/insights/rankings/close-days.ts';
import { addKey, addOrganization } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import type { Gateway } from '../support/gateway.ts';
import { makeGeneration } from '../support/make-generation.ts';
import { publishedClient } from '../support/published-client.ts';
import { type Replica, useReplica } from '../support/replica.ts';

const MODEL = 'local/echo-1';
const YESTERDAY = addDays(utcDayOf(new Date()), -1);
let gateway: Gateway;
let second: Replica;

useReplica(async (...opened) => {
  [gateway, second] = opened;
  await useYesterday();
});

/** A prompt of 900 tokens about programs, answered with 100, by an app. */
async function useYesterday(): Promise<void> {
  const url = gateway.config.database.url;
  const ledger = createLedgerConnection({ url, shard: 0, silenceMs: 5_000 });
  const settledAt = new Date(startOf(YESTERDAY).getTime() + 3_600_000);
  await ledger.ensurePartitions([settledAt]);
  const facts = {
    id: newGenerationId(settledAt.getTime()),
    settledAt,
    model: MODEL,
    usage: { prompt: 900, completion: 100 },
    app: { origin: 'https://app.example', title: null },
    sample: { category: 'programming', languageType: 'natural', weight: 100 },
  };
  await ledger.record([makeGeneration(facts)]);
  await ledger.close();
  const logger = createLogger({ level: 'fatal', name: 'test' });
  await rebuildDays({ url, logger }, [YESTERDAY], new Date(startOf(YESTERDAY).getTime() + 2 * 86_400_000));
}

const newCaller = async (): Promise<Caller> => createCaller(gateway.origin, (await addKey(gateway)).token);
const ask = (by: Caller, query = '', headers = {}): Promise<Response> =>
  by.call('GET', `/datasets/rankings-daily${query}`, { headers });

describe('the published client', () => {
  const clientOf = async () => publishedClient(gateway, (await addKey(gateway)).token);

  test('reads the rankings of models', async () => {
    const { datasets } = await clientOf();
    const { data, meta } = await datasets.getRankingsDaily();
    expect(data).toEqual([{ date: YESTERDAY, modelPermaslug: MODEL, totalTokens: '1000' }]);
    expect(meta).toMatchObject({ startDate: addDays(YESTERDAY, -30), endDate: YESTERDAY, version: 'v1' });
    const sliced = await datasets.getRankingsDaily({
      modality: 'text',
      contextBucket: '1K',
      period: 'month',
    });
    expect(sliced.data).toMatchObject([{ date: `${YESTERDAY.slice(0, 7)}-01`, totalTokens: '1000' }]);
    expect((await datasets.getRankingsDaily({ modality: 'audio' })).data).toEqual([]);
    const estimated = await datasets.getRankingsDaily({ category: 'programming' });
    expect(estimated.data).toMatchObject([{ totalTokens: '100000' }]);
    expect(new Date(estimated.data[0]!.date).getUTCDay()).toBe(1);
    const refused = datasets.getRankingsDaily({ category: 'legal', modality: 'text' });
    await expect(refused).rejects.toBeInstanceOf(BadRequestResponseError);
  });

  test('pages through the rankings of apps', async () => {
    const { datasets } = await clientOf();
    const pages = [];
    for await (const { result } of await datasets.getAppRankings({ limit: 1 })) pages.push(result);
    expect(pages[0]?.data).toEqual([
      { rank: 1, appId: expect.any(Number), appName: 'app.example', totalRequests: 1, totalTokens: '1000' },
    ]);
    expect(pages[0]?.meta).toMatchObject({ endDate: YESTERDAY, version: 'v1' });
    expect(pages.slice(1).flatMap(({ data }) => data)).toEqual([]);
  });

  test('throws TooManyRequestsResponseError once for 31 requests a minute', async () => {
    const { datasets } = await clientOf();
    const asked = Array.from({ length: 31 }, () =>
      datasets.getRankingsDaily().catch((error: unknown) => error),
    );
    const refused = (await Promise.all(asked)).filter((one) => one instanceof TooManyRequestsResponseError);
    expect(refused).toHaveLength(1);
  });
});

describe('a request for rankings with an invalid query', () => {
  test.each([
    ['start_date=2026-02-30', 'query.start_date', 'must be a date such as 2026-03-01'],
    ['start_date=2026-02-01&start_date=2026-02-02', 'query.start_date', 'must be a date such as 2026-03-01'],
    ['start_date=2026-3-1T00', 'query.start_date', 'must be a date such as 2026-03-01'],
    ['end_date=2024-12-31', 'query.end_date', 'must not be before 2025-01-01'],
    ['start_date=2026-02-02&end_date=2026-02-01', 'query.start_date', 'must not be after end_date'],
    ['period=hour', 'query.period', 'must be one of day, week, month'],
    ['context_bucket=2K', 'query.context_bucket', 'must be one of 1K, 10K, 100K, 1M, 10M'],
    ['category=legal&language_type=natural', 'query.category', 'cannot be combined with language_type'],
    [
      'category=legal&modality=text',
      'query.modality',
      'modality and context_bucket cannot be combined with category or language_type',
    ],
    [
      'language_type=natural&context_bucket=1K',
      'query.modality',
      'modality and context_bucket cannot be combined with category or language_type',
    ],
    [
      'language_type=natural&period=day',
      'query.period',
      'must be week or month with category or language_type',
    ],
  ])('gets 400 for %s', async (query, path, message) => {
    const { code, metadata } = await errorOf(await ask(await newCaller(), `?${query}`));
    expect([code, metadata.issues]).toEqual([400, [{ path, message }]]);
  });

  test('gets 400 for a category of apps', async () => {
    const answer = await (await newCaller()).call('GET', '/datasets/app-rankings?category=coding');
    expect((await errorOf(answer)).metadata.issues).toEqual([
      { path: 'query.category', message: 'is not offered: apps have no categories here' },
    ]);
  });
});

describe('GET /datasets', () => {
  test('answers every kind of key, up to yesterday', async () => {
    const manager = createCaller(gateway.origin, gateway.managementKey);
    const answer = await ask(manager, `?start_date=${YESTERDAY}&end_date=2999-01-01`);
    expect(await answer.json()).toMatchObject({
      data: [{ date: YESTERDAY }],
      meta: { start_date: YESTERDAY, end_date: YESTERDAY },
    });
  });

  test.each(['rankings-daily', 'app-rankings'])(
    'answers 400 to a start_date in the future (%s)',
    async (dataset) => {
      const answer = await (await newCaller()).call('GET', `/datasets/${dataset}?start_date=2999-01-01`);
      const { code, metadata } = await errorOf(answer);
      const message = `must not be after ${YESTERDAY}, the last day that is over`;
      expect([code, metadata.issues]).toEqual([400, [{ path: 'query.start_date', message }]]);
    },
  );

  test('answers 304 to a client that has the ETag', async () => {
    const caller = await newCaller();
    const first = await ask(caller);
    const etag = first.headers.get('etag')!;
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    const again = await ask(caller, '', { 'if-none-match': `"other", W/${etag}` });
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
    expect(again.headers.get('ratelimit-remaining')).toBe('28');
    expect((await ask(caller, '?period=month', { 'if-none-match': etag })).status).toBe(200);
  });
});

describe('the rate limit of rankings', () => {
  const limitsOf = ({ headers }: Response): (string | null)[] =>
    ['ratelimit-limit', 'ratelimit-remaining'].map((name) => headers.get(name));

  test('allows a key thirty requests a minute over all replicas', async () => {
    const { token } = await addKey(gateway);
    const callers = [gateway.origin, second.origin].map((origin) => createCaller(origin, token));
    const asked = Array.from({ length: 40 }, (_, n) => ask(callers[n % 2]!));
    const answers = await Promise.all(asked);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(30);
    const refused = answers.find(({ status }) => status === 429)!;
    expect(limitsOf(refused)).toEqual(['30', '0']);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect((await callers[0]!.call('GET', '/datasets/app-rankings')).status).toBe(200);
  });

  test('allows an organization five hundred requests a day over all keys', async () => {
    const place = await addOrganization(gateway);
    const keys = await Promise.all(Array.from({ length: 17 }, () => addKey(gateway, place)));
    const callers = keys.map(({ token }) => createCaller(gateway.origin, token));
    const asked = callers.slice(0, 16).flatMap((caller) => Array.from({ length: 30 }, () => ask(caller)));
    expect((await Promise.all(asked)).every(({ status }) => status === 200)).toBe(true);
    const last = callers[16]!;
    for (let left = 19; left >= 0; left -= 1) {
      expect(limitsOf(await ask(last))).toEqual(['500', `${left}`]);
    }
    const refused = await ask(last);
    expect([refused.status, ...limitsOf(refused)]).toEqual([429, '500', '0']);
    expect(limitsOf(await ask(await newCaller()))).toEqual(['30', '29']);
  });
});
