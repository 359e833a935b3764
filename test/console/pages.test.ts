import { afterAll, beforeAll, expect, test } from '@jest/globals';
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

let scene: ConsoleScene;
let visit: ConsolePage;

beforeAll(async () => {
  scene = await startConsole({ bootstrap: { entitlements: ['private_endpoints'] } });
  visit = await scene.openPage();
  await visit.signIn(scene.gateway.managementKey);
});
afterAll(() => scene?.close());

test.each(LISTS)(
  '%s says what is wrong when the gateway fails, goes on by itself, and says what to do when it is empty',
  async (path, title, empty, call) => {
    const { page, open } = visit;
    const isCall = (url: URL): boolean => url.pathname === `/api/v1${call}`;
    const body = JSON.stringify({ error: { code: 503, message: 'Service temporarily unavailable' } });
    await page.route(isCall, (route) =>
      route.fulfill({ status: 503, contentType: 'application/json', body }),
    );
    await open(path);
    await page.getByRole('heading', { name: title, exact: true }).waitFor();
    await page.getByRole('alert').filter({ hasText: 'Service temporarily unavailable' }).first().waitFor();
    expect(await faultsOfAccess(page)).toEqual([]);
    await page.unroute(isCall);
    await page.getByText(empty).waitFor();
    expect(await faultsOfAccess(page)).toEqual([]);
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
