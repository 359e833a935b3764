import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { request } from 'node:http';
import { createMetrics } from '../../../platform/create-metrics.ts';
import type { ProcessMetrics } from '../../../platform/metrics.ts';
import { eventually } from '../../support/eventually.ts';
import { readScrape, type Scrape } from '../../support/scrape.ts';
import { asRegular } from '../support/fake-services.ts';
import { serveApi, type ServedApi } from '../support/serve-api.ts';

let metrics: ProcessMetrics;
let api: ServedApi;
const held = Promise.withResolvers<void>();

beforeAll(async () => {
  metrics = createMetrics(0);
  api = await serveApi(
    {
      health: {
        async checkReadiness() {
          await held.promise;
          return { postgres: true, temporal: true };
        },
      },
    },
    metrics,
  );
});
afterAll(() => api.close());

/** Sends the path as it is; `fetch` would tidy it up. */
function send(method: string, path: string, headers: Record<string, string> = {}): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  request({ port: api.port, host: '127.0.0.1', method, path, headers }, (response) => {
    response.resume().once('end', resolve);
  })
    .once('error', reject)
    .end();
  return promise;
}

/** A request is counted a moment after its answer is read. */
const shownOnce = (series: string, value: number): Promise<Scrape> =>
  eventually(`${series} ${value}`, async () => {
    const seen = readScrape(await metrics.text());
    return seen.value(series) === value ? seen : undefined;
  });

const requestsOf = (operation: string, status: number): string =>
  `sluice_requests_total{operation="${operation}",status="${status}"}`;

test('the metrics count a request by operation and status, with its duration', async () => {
  await send('GET', '/healthz');
  await send('GET', '/api/v1/videos/models');
  await send('GET', '/api/v1/videos/models', asRegular);
  const { value } = await shownOnce(requestsOf('listVideoModels', 200), 1);
  expect(value(requestsOf('checkHealth', 200))).toBe(1);
  expect(value(requestsOf('listVideoModels', 401))).toBe(1);
  expect(value('sluice_request_duration_seconds_count{operation="listVideoModels",status_class="2xx"}')).toBe(
    1,
  );
  expect(value('sluice_request_duration_seconds_count{operation="listVideoModels",status_class="4xx"}')).toBe(
    1,
  );
});

test("the metrics show a request in flight until its response or its caller's leaving", async () => {
  const inFlight = 'sluice_requests_in_flight{operation="checkReadiness"}';
  const leaving = request({ port: api.port, host: '127.0.0.1', path: '/readyz' }).end();
  leaving.on('error', () => {});
  const staying = send('GET', '/readyz');
  await shownOnce(inFlight, 2);
  leaving.destroy();
  const left = await shownOnce(inFlight, 1);
  expect(left.value(requestsOf('checkReadiness', 499))).toBe(1);
  expect(
    left.value('sluice_request_duration_seconds_count{operation="checkReadiness",status_class="4xx"}'),
  ).toBe(1);
  held.resolve();
  await staying;
  await shownOnce(inFlight, 0);
});

describe('the labels of metrics', () => {
  test('contain no paths, methods, ids, keys or queries of callers', async () => {
    const sendAll = async (round: number): Promise<void> => {
      for (let n = 0; n < 20; n += 1) {
        const name = `x${round}-${n}`;
        await send('GET', `/${name}`);
        await send('GET', `/api/v1/${name}/%ff`);
        await send('PROPFIND', '/api/v1/videos');
        await send('GET', `/api/v1/videos/${name}`, { authorization: `Bearer ${name}` });
        await send('GET', `/api/v1/models/${name}/${name}/endpoints?q=${name}`, asRegular);
        await send('POST', '/api/v1/chat/completions', { ...asRegular, [`x-${name}`]: name });
      }
      await shownOnce(requestsOf('getVideo', 401), (round + 1) * 20);
    };
    const all = async (): Promise<string[]> => readScrape(await metrics.text()).series;
    await sendAll(0);
    const before = await all();
    await sendAll(1);
    expect(await all()).toEqual(before);
    const seen = readScrape(await metrics.text());
    expect(seen.value(requestsOf('unmatched', 404))).toBe(40);
    expect(seen.value(requestsOf('unmatched', 400))).toBe(40);
    expect(seen.value(requestsOf('unmatched', 405))).toBe(40);
    expect(before.join('\n')).not.toMatch(/x0-/);
  });
});

test('counts an error under the reason that its caller sees', async () => {
  const reason = 'sluice_errors_total{reason="method_not_allowed"}';
  const before = readScrape(await metrics.text()).value(reason) ?? 0;
  await send('PATCH', '/api/v1/videos', asRegular);
  await shownOnce(reason, before + 1);
});
