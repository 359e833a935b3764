/** Checks that pages say what is wrong with the gateway, and go on by themselves. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi } from '../../api/start-api.ts';
import { createLogger } from '../../platform/logger.ts';
import { type ConsolePage, type ConsoleScene, startConsole } from './support/console-scene.ts';

let scene: ConsoleScene;
let visit: ConsolePage;

beforeAll(async () => {
  scene = await startConsole();
  visit = await scene.openPage();
  await visit.signIn(scene.gateway.managementKey);
});
afterAll(() => scene?.close());

const KEYS = '**/api/v1/keys*';
const error = (code: number, message: string) =>
  JSON.stringify({ error: { code, message, metadata: { reason: 'test', retryable: true } } });

describe('a page in the middle of its work', () => {
  test.each([
    ['does not answer', 0, 'The gateway does not answer.'],
    ['answers 429', 429, 'Too many requests. This page goes on by itself in a moment.'],
    ['answers 503', 503, 'The gateway or its database is unavailable. This page goes on by itself.'],
  ])('says so when the gateway %s, and goes on by itself', async (_, status, words) => {
    const { page, open } = visit;
    await page.route(KEYS, (route) =>
      status === 0
        ? route.abort()
        : route.fulfill({
            status,
            headers: { 'retry-after': '1' },
            contentType: 'application/json',
            body: error(status, 'Not now'),
          }),
    );
    await open('/keys');
    await page.getByText(words).waitFor();
    await page.unroute(KEYS);
    await page.getByRole('table').waitFor();
    expect(await page.getByText(words).count()).toBe(0);
  });

  test('says that the key may not do this, and does not ask again and again', async () => {
    const { page, open } = visit;
    let asked = 0;
    await page.route(KEYS, (route) => {
      asked += 1;
      return route.fulfill({ status: 403, contentType: 'application/json', body: error(403, 'No') });
    });
    await open('/keys');
    await page.getByText('Your key may not do this.').waitFor();
    await page.waitForLoadState('networkidle');
    expect(asked).toBeLessThanOrEqual(2);
    await page.unroute(KEYS);
  });

  test('shows that it waits while the gateway is slow', async () => {
    const { page, open } = visit;
    const held = Promise.withResolvers<void>();
    await page.route(KEYS, async (route) => {
      await held.promise;
      await route.continue();
    });
    await open('/keys');
    await page.getByRole('status').getByText('Loading').first().waitFor();
    held.resolve();
    await page.getByRole('table').waitFor();
    await page.unroute(KEYS);
  });

  test('keeps what it showed, with a notice, when a later reading fails', async () => {
    const { page, open } = visit;
    await open('/generations');
    await page.getByText('There are no generations yet.').waitFor();
    await page.route('**/api/v1/generations*', (route) => route.abort());
    await page
      .getByRole('button', { name: 'Refresh' })
      .click()
      .catch(() => undefined);
    await page.getByText('There are no generations yet.').waitFor();
    await page.unroute('**/api/v1/generations*');
  });

  test('asks to sign in again when the session has ended', async () => {
    const own = await scene.openPage();
    await own.signIn(scene.gateway.managementKey);
    await own.context.clearCookies();
    await own.page.getByRole('heading', { name: 'Sign in to Sluice' }).waitFor();
    await own.context.close();
  });
});

test('everything but links works while Temporal is away', async () => {
  const { config, managementKey } = scene.gateway;
  const temporal = { ...config.temporal, address: '127.0.0.1:1' };
  const api = await startApi({ ...config, temporal }, createLogger({ level: 'fatal', name: 'test' }));
  const own = await scene.openPage();
  const pages = {
    overview: 'Overview',
    jobs: 'Jobs',
    syncs: 'Directory syncs',
    destinations: 'Destinations',
    webhooks: 'Webhooks',
  };
  await own.page.goto(`http://127.0.0.1:${api.port}/console/`);
  await own.page.getByLabel('API key').fill(managementKey);
  await own.page.getByRole('button', { name: 'Sign in' }).click();
  await own.page.getByRole('navigation', { name: 'Pages' }).waitFor();
  for (const [address, title] of Object.entries(pages)) {
    await own.page.goto(`http://127.0.0.1:${api.port}/console/${address}`);
    await own.page.getByRole('heading', { name: title, exact: true }).waitFor();
    await own.page.waitForLoadState('networkidle');
    expect([title, await own.page.getByRole('alert').count()]).toEqual([title, 0]);
  }
  expect(own.problems).toEqual([]);
  await own.context.close();
  for (const { run } of api.shutdownSteps) await run();
});
