import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ConsolePage, type ConsoleScene, startConsole } from './support/console-scene.ts';
import { faultsOfAccess, faultsOfBothLooks } from './support/faults-of-access.ts';

const DESTINATION = { name: 'Tool', type: 'webhook', config: { url: 'https://tool.example.com/in' } };

/** The pages with data, by their titles. `CHAT`, `JOB` and so on stand for the ids of what the test has made. */
const ADDRESSES: [title: string, address: string][] = [
  ['Overview', '/overview?compare=custom&compare_from=2026-11-01&compare_to=2026-11-07'],
  ['Playground', '/playground?second=local/echo-1'],
  ['Generations', '/generations?min_cost=0'],
  ['Generation', '/generations/CHAT'],
  ['Jobs', '/jobs'],
  ['Video job', '/jobs/JOB'],
  ['Directory syncs', '/syncs'],
  ['Endpoint checks', '/validations'],
  ['Keys', '/keys'],
  ['Models', '/models'],
  ['Local: Echo 1', '/models/local/echo-1'],
  ['Workspaces', '/workspaces'],
  ['Budgets', '/workspaces/WORKSPACE'],
  ['Webhooks', '/webhooks'],
  [DESTINATION.name, '/destinations/DESTINATION'],
  ['Page not found', '/nowhere'],
];

let scene: ConsoleScene;
let visit: ConsolePage;
let ids: Record<string, string>;

beforeAll(async () => {
  scene = await startConsole({ bootstrap: { entitlements: ['private_endpoints'] } });
  visit = await scene.openPage();
  ids = await makeData(scene);
});
afterAll(() => scene?.close());

test('the sign-in page has no fault of accessibility, light or dark', async () => {
  await visit.open('');
  await visit.page.getByRole('heading', { name: 'Sign in to Sluice' }).waitFor();
  expect(await faultsOfBothLooks(visit.page)).toEqual([]);
  await visit.signIn(scene.gateway.managementKey);
});

test.each(ADDRESSES)(
  'the page %s has no fault of accessibility, light or dark, and does not scroll sideways on a telephone',
  async (title, address) => {
    const { page, open } = visit;
    await open(address.replace(/[A-Z]{3,}/, (name) => ids[name]!));
    await page.getByRole('heading', { name: title, exact: true }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await faultsOfBothLooks(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.setViewportSize({ width: 1440, height: 900 });
  },
);

test('the dialog that makes a key has none, and closes by Escape', async () => {
  await visit.open('/keys');
  await visit.page.getByRole('button', { name: 'Create key' }).click();
  await visit.page.getByRole('dialog', { name: 'Create key' }).waitFor();
  expect(await faultsOfBothLooks(visit.page)).toEqual([]);
  await visit.page.keyboard.press('Escape');
  expect(await visit.page.getByRole('dialog').count()).toBe(0);
});

test('a page that opens on a telephone hides the wide navigation, has no fault in the dark, and does not scroll sideways', async () => {
  const own = await scene.openPage({ colorScheme: 'dark' });
  await own.signIn(scene.gateway.managementKey);
  await own.page.setViewportSize({ width: 390, height: 844 });
  await own.open('/overview');
  await own.page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
  await own.page.waitForLoadState('networkidle');
  expect(await faultsOfAccess(own.page)).toEqual([]);
  expect(await own.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await own.page.getByRole('link', { name: 'Playground' }).isVisible()).toBe(false);
  expect(own.problems).toEqual([]);
  await own.context.close();
});

test('no page breaks a rule of the content policy', () => {
  expect(visit.problems).toEqual([]);
});

/** Makes something for each page to show, and returns the ids of it. */
async function makeData({ gateway }: ConsoleScene): Promise<Record<string, string>> {
  const idOf = async (path: string, body: object, key?: string): Promise<string> => {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const answer = await gateway.call('POST', path, { headers, body });
    const made = (await answer.json()) as { id?: string; data: { id: string } };
    return made.id ?? made.data.id;
  };
  const messages = [{ role: 'user', content: 'Hello' }];
  return {
    CHAT: await idOf('/chat/completions', { model: 'local/echo-1', messages }),
    JOB: await idOf('/videos', { model: 'local/clip-1', prompt: 'A boat' }),
    WORKSPACE: gateway.workspaceId,
    DESTINATION: await idOf('/observability/destinations', DESTINATION, gateway.managementKey),
  };
}
