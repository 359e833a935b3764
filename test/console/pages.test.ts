import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ConsolePage, type ConsoleScene, startConsole } from './support/console-scene.ts';
import { faultsOfAccess } from './support/faults-of-access.ts';

/** The lists of the console, with their titles, what they show when empty, and the call that fills them. */
const LISTS: [path: string, title: string, empty: string, call: string][] = [
  ['/overview', 'Overview', 'Nothing was used in this range.', '/analytics/query'],
  ['/generations', 'Generations', 'There are no generations yet.', '/generations'],
  ['/jobs', 'Jobs', 'There are no video jobs yet.', '/videos'],
  ['/syncs', 'Directory syncs', 'There are no directory syncs yet.', '/scim/sync-jobs'],
  ['/validations', 'Endpoint checks', 'No endpoint was validated yet.', '/private-endpoint-validations'],
  ['/keys?offset=100', 'Keys', 'There are no keys here.', '/keys'],
  ['/models?q=nothing-has-this-name', 'Models', 'No model matches.', '/models'],
  ['/workspaces?offset=100', 'Workspaces', 'There are no workspaces here.', '/workspaces'],
  ['/webhooks', 'Webhooks', 'No deliveries here.', '/webhooks/deliveries'],
  ['/destinations', 'Destinations', 'There are no destinations yet.', '/observability/destinations'],
];

const DESTINATION = { name: 'Tool', type: 'webhook', config: { url: 'https://tool.example.com/in' } };

let scene: ConsoleScene;
let visit: ConsolePage;

beforeAll(async () => {
  scene = await startConsole({ bootstrap: { entitlements: ['private_endpoints'] } });
  visit = await scene.openPage();
  await visit.signIn(scene.gateway.managementKey);
});
afterAll(() => scene?.close());

test.each(LISTS)('%s says what to do when it is empty', async (path, title, empty) => {
  await visit.open(path);
  await visit.page.getByRole('heading', { name: title, exact: true }).waitFor();
  await visit.page.getByText(empty).waitFor();
  expect(await faultsOfAccess(visit.page)).toEqual([]);
});

test.each(LISTS)(
  '%s says what is wrong when the gateway fails, and goes on by itself',
  async (path, _title, empty, call) => {
    const { page, open } = visit;
    const isCall = (url: URL): boolean => url.pathname === `/api/v1${call}`;
    const body = JSON.stringify({ error: { code: 503, message: 'Service temporarily unavailable' } });
    await page.route(isCall, (route) =>
      route.fulfill({ status: 503, contentType: 'application/json', body }),
    );
    await open(path);
    await page.getByRole('alert').filter({ hasText: 'Service temporarily unavailable' }).first().waitFor();
    expect(await faultsOfAccess(page)).toEqual([]);
    await page.unroute(isCall);
    await page.getByText(empty).waitFor();
  },
);

test('a page without an answer says that the gateway does not answer', async () => {
  const { page, open } = visit;
  await page.route('**/api/v1/generations*', (route) => route.abort());
  await open('/generations');
  await page.getByRole('alert').filter({ hasText: 'The gateway does not answer.' }).waitFor();
  await page.unroute('**/api/v1/generations*');
  await page.getByText('There are no generations yet.').waitFor();
});

describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
  let own: ConsolePage;
  let addresses: Record<string, string>;

  beforeAll(async () => {
    own = await scene.openPage({ colorScheme });
    const chat = await scene.gateway.call('POST', '/chat/completions', {
      body: { model: 'local/echo-1', messages: [{ role: 'user', content: 'Hello' }] },
    });
    const job = await scene.gateway.call('POST', '/videos', {
      body: { model: 'local/clip-1', prompt: 'A boat' },
    });
    const idOf = async (answer: Response) => ((await answer.json()) as { id: string }).id;
    addresses = {
      Overview: '/overview?compare=custom&compare_from=2026-11-01&compare_to=2026-11-07',
      Playground: '/playground?second=local/echo-1',
      Generations: '/generations?min_cost=0',
      Generation: `/generations/${await idOf(chat)}`,
      Jobs: '/jobs',
      'Video job': `/jobs/${await idOf(job)}`,
      'Directory syncs': '/syncs',
      'Endpoint checks': '/validations',
      Keys: '/keys',
      Models: '/models',
      'Local: Echo 1': '/models/local/echo-1',
      Workspaces: '/workspaces',
      Budgets: `/workspaces/${scene.gateway.workspaceId}`,
      Webhooks: '/webhooks',
      [DESTINATION.name]: `/destinations/${await idOfDestination(scene)}`,
      'Page not found': '/nowhere',
    };
  });
  afterAll(() => own.context.close());

  test('the sign-in page has no fault of accessibility', async () => {
    await own.open('');
    await own.page.getByRole('heading', { name: 'Sign in to Sluice' }).waitFor();
    expect(await faultsOfAccess(own.page)).toEqual([]);
    await own.signIn(scene.gateway.managementKey);
  });

  test('every page has no fault of accessibility', async () => {
    for (const [title, address] of Object.entries(addresses)) {
      await own.open(address);
      await own.page.getByRole('heading', { name: title, exact: true }).waitFor();
      await own.page.waitForLoadState('networkidle');
      expect([title, ...(await faultsOfAccess(own.page))]).toEqual([title]);
    }
  });

  test('no page scrolls sideways on a telephone', async () => {
    await own.page.setViewportSize({ width: 390, height: 844 });
    for (const [title, address] of Object.entries(addresses)) {
      await own.open(address);
      await own.page.getByRole('heading', { name: title, exact: true }).waitFor();
      await own.page.waitForLoadState('networkidle');
      expect([title, await own.page.evaluate('document.documentElement.scrollWidth')]).toEqual([title, 390]);
    }
    await own.page.setViewportSize({ width: 1440, height: 900 });
  });

  test('the dialog that makes a key has none, and closes by Escape', async () => {
    await own.open('/keys');
    await own.page.getByRole('button', { name: 'Create key' }).click();
    await own.page.getByRole('dialog', { name: 'Create key' }).waitFor();
    expect(await faultsOfAccess(own.page)).toEqual([]);
    await own.page.keyboard.press('Escape');
    expect(await own.page.getByRole('dialog').count()).toBe(0);
  });

  test('no page breaks a rule of the content policy', () => {
    expect(own.problems).toEqual([]);
  });
});

async function idOfDestination({ gateway }: ConsoleScene): Promise<string> {
  const answer = await gateway.call('POST', '/observability/destinations', {
    headers: { authorization: `Bearer ${gateway.managementKey}` },
    body: DESTINATION,
  });
  return ((await answer.json()) as { data: { id: string } }).data.id;
}
