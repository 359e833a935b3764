/** Checks that pages survive what happens in between: a gateway that is away, a session that ends, another tab. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, type IssuedKey, setKeyDisabled } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { type ConsolePage, type ConsoleScene, startConsole } from './support/console-scene.ts';

let scene: ConsoleScene;
let visit: ConsolePage;

beforeAll(async () => {
  scene = await startConsole();
  visit = await scene.openPage();
  await visit.signIn(scene.gateway.managementKey);
});
afterEach(() => visit.page.unrouteAll({ behavior: 'ignoreErrors' }));
afterAll(() => scene?.close());

const asksForSignIn = ({ page }: ConsolePage) =>
  page.getByRole('heading', { name: 'Sign in to Sluice' }).waitFor();

/** Disables a key, and waits until the gateway refuses it. */
async function disable({ hash, token }: IssuedKey): Promise<void> {
  await setKeyDisabled(scene.gateway, hash, true);
  const headers = { authorization: `Bearer ${token}` };
  await eventually('the end of the key', async () =>
    (await scene.gateway.call('GET', '/key', { headers })).status === 401 ? true : undefined,
  );
}

/** Signs in with a key of its own, so that the key may end. */
async function openWithOwnKey(): Promise<{ own: ConsolePage; end: () => Promise<void> }> {
  const key = await addKey(scene.gateway);
  const own = await scene.openPage();
  await own.signIn(key.token);
  return { own, end: () => disable(key) };
}

describe('a gateway that is away', () => {
  test('leaves the console open, and a page whose files were not read opens by itself', async () => {
    const { page, open } = visit;
    await open('/keys');
    await page.getByRole('table').waitFor();
    await page.route('**/*', (route) => route.abort('connectionrefused'));
    await page.getByRole('link', { name: 'Models' }).click();
    await page.getByRole('alert').filter({ hasText: 'The gateway does not answer.' }).waitFor();
    await page.unrouteAll();
    await page.getByRole('heading', { name: 'Models' }).waitFor();
    await page.getByRole('table').getByText('local/echo-1').first().waitFor();
  });

  test('keeps the playground from sending, which says why and goes on by itself', async () => {
    const { page, open } = visit;
    const body = JSON.stringify({ error: { code: 503, message: 'Service temporarily unavailable' } });
    await page.route('**/api/v1/keys*', (route) =>
      route.fulfill({ status: 503, contentType: 'application/json', body }),
    );
    await open('/playground?model=local/echo-1');
    await page.getByRole('alert').filter({ hasText: 'Service temporarily unavailable' }).waitFor();
    await page.unrouteAll();
    await page.getByLabel('Message').fill('Back again');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('You said: Back again').waitFor();
  });
});

test('a page that cannot show an answer says that it has a fault, not that the gateway is away', async () => {
  const { page, open } = visit;
  await page.route('**/api/v1/models?*', (route) =>
    route.fulfill({ json: { data: [null], total_count: 1 } }),
  );
  await open('/models');
  await page.getByRole('heading', { name: 'This page failed' }).waitFor();
  await page.getByRole('alert').filter({ hasText: 'a fault of the console' }).waitFor();
  expect(await page.getByText('The gateway does not answer.').count()).toBe(0);
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Load again' }).click();
  await page.getByRole('heading', { name: 'Models' }).waitFor();
});

describe('a key that is disabled', () => {
  test('ends the session of a page that then sends a chat', async () => {
    const { own, end } = await openWithOwnKey();
    await own.open('/playground?model=local/echo-1');
    await own.page.getByLabel('Message').fill('Too late');
    await end();
    await own.page.getByRole('button', { name: 'Send' }).click();
    await asksForSignIn(own);
    await own.context.close();
  });

  test('ends the session of a page that then changes something', async () => {
    const manager = await addKey(scene.gateway, { kind: 'management' });
    const own = await scene.openPage();
    await own.signIn(manager.token);
    await own.open('/keys');
    await own.page.getByRole('button', { name: 'Create key' }).click();
    await own.page.getByRole('dialog').getByLabel('Name').fill('Too late');
    await disable(manager);
    await own.page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await asksForSignIn(own);
    await own.context.close();
  });
});

describe('two tabs of one browser', () => {
  test('do not change anything with the session of the other one unasked', async () => {
    const own = await scene.openPage();
    await own.signIn(scene.gateway.managementKey);
    await own.open('/keys');
    await own.page.getByRole('button', { name: 'Create key' }).click();
    const dialog = own.page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Of two tabs');
    await signInElsewhere(own, scene.gateway.managementKey);

    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('Another tab has signed in').waitFor();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await own.page.getByTestId('new-key').waitFor();
    await own.context.close();
  });

  test('show the same session once the person looks at them', async () => {
    const own = await scene.openPage();
    await own.signIn(scene.gateway.managementKey);
    await own.open('/models');
    await own.page.getByRole('link', { name: 'Keys' }).waitFor();
    await signInElsewhere(own, scene.gateway.apiKey);
    await own.page.evaluate('window.dispatchEvent(new Event("visibilitychange"))');
    await own.page.getByRole('link', { name: 'Keys' }).waitFor({ state: 'hidden' });
    await own.page.getByText('Regular key').last().waitFor();
    await own.context.close();
  });
});

/** Signs out and in again in a second tab of the browser. */
async function signInElsewhere({ context, page }: ConsolePage, key: string): Promise<void> {
  const tab = await context.newPage();
  await tab.goto(new URL('/console/models', page.url()).href);
  await tab.getByRole('button', { name: 'Sign out' }).click();
  await tab.getByLabel('API key').fill(key);
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await tab.getByRole('navigation', { name: 'Pages' }).waitFor();
  await tab.close();
}
