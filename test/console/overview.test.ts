/** Checks how the overview groups, where its groups lead, and what it says when its comparison cannot be read. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addUser, type IssuedKey } from '../support/accounts.ts';
import { type ConsolePage, type ConsoleScene, startConsole } from './support/console-scene.ts';
import { faultsOfBothLooks } from './support/faults-of-access.ts';

let scene: ConsoleScene;
let visit: ConsolePage;
let values: Record<string, string>;
const refused: string[] = [];

const asManager = () => ({ headers: { authorization: `Bearer ${scene.gateway.managementKey}` } });

beforeAll(async () => {
  scene = await startConsole();
  visit = await scene.openPage();
  const { gateway } = scene;
  const [own, deleted] = [
    await addKey(gateway, { name: 'Of a person' }),
    await addKey(gateway, { name: 'Deleted' }),
  ];
  const userId = await addUser(gateway, gateway.organizationId);
  await gateway.database.query('update api_keys set creator_user_id = $1 where hash = $2', [
    userId,
    own.hash,
  ]);
  await chat(own);
  await chat(own);
  await chat(deleted);
  await gateway.call('DELETE', `/keys/${deleted.hash}`, asManager());
  values = {
    model: 'local/echo-1',
    provider: 'local',
    api_key_hash: own.hash,
    workspace_id: gateway.workspaceId,
    user_id: userId,
  };
  await visit.signIn(gateway.managementKey);
  visit.page.on('response', (response) => {
    if (response.status() === 400) refused.push(response.url());
  });
});
afterAll(() => scene?.close());

async function chat({ token }: IssuedKey): Promise<void> {
  const answer = await scene.gateway.call('POST', '/chat/completions', {
    headers: { authorization: `Bearer ${token}`, 'http-referer': 'https://app.example.com' },
    body: { model: 'local/echo-1', messages: [{ role: 'user', content: 'Count me' }] },
  });
  expect(answer.status).toBe(200);
}

/** Groups by one click. */
async function groupBy(name: string): Promise<void> {
  await visit.page.getByRole('group', { name: 'Group by' }).getByText(name, { exact: true }).click();
  await visit.page.getByRole('heading', { name: `By ${name.toLowerCase()}`, exact: true }).waitFor();
}

const isAnalytics = (url: URL): boolean => url.pathname === '/api/v1/analytics/query';

describe('the overview', () => {
  test.each([
    ['Model', 'Local: Echo 1', 'model', 3],
    ['Provider', 'Local upstream', 'provider', 3],
    ['Key', 'Of a person', 'api_key_hash', 2],
    ['Workspace', 'Default', 'workspace_id', 3],
    ['User', 'Some', 'user_id', 2],
  ])('leads from a group by %s to the generations that it adds up', async (grouping, name, filter, count) => {
    const { page, open } = visit;
    await open('/overview');
    await groupBy(grouping);
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
    expect(await row.getByRole('cell').nth(2).textContent()).toBe(String(count));
    await row.getByRole('link').click();
    await page.getByRole('heading', { name: 'Generations', exact: true }).waitFor();
    const { searchParams } = new URL(page.url());
    expect(searchParams.get(filter)).toBe(values[filter]);
    expect([...searchParams.keys()].toSorted()).toEqual([filter, 'end', 'start'].toSorted());
    await page.getByRole('row').nth(count).waitFor();
    expect(await page.getByRole('row').count()).toBe(count + 1);
  });

  test.each([
    ['App', 'https://app.example.com', 'generations have no filter for apps'],
    ['User', '(none)', 'generations have no filter for that'],
    ['Key', 'Deleted', 'A deleted key leads to no list'],
  ])('leads nowhere from a group by %s that has no filter, and says why', async (grouping, name, words) => {
    const { page, open } = visit;
    await open('/overview');
    await groupBy(grouping);
    // The legend of the chart has rows too.
    const row = page
      .getByRole('region', { name: /^Use by/ })
      .getByRole('row')
      .filter({ hasText: name });
    await row.waitFor();
    await page.getByText(words).waitFor();
    expect(await row.getByRole('link').count()).toBe(0);
    expect(await faultsOfBothLooks(page)).toEqual([]);
  });

  test('leads nowhere from a key whose hash cannot be read, until it can', async () => {
    const { page, open } = visit;
    const isKeys = (url: URL): boolean => url.pathname === '/api/v1/keys';
    await page.route(isKeys, (route) => route.abort());
    await open('/overview?by=api_key_id');
    await page.getByText('The keys could not be read').waitFor();
    await page.unroute(isKeys);
    await page.getByRole('link', { name: 'Of a person', exact: true }).waitFor();
  });
});

test('the grouping is chosen by the arrow keys too, also on a telephone', async () => {
  const { page, open } = visit;
  await page.setViewportSize({ width: 390, height: 844 });
  await open('/overview');
  const grouping = page.getByRole('group', { name: 'Group by' });
  await grouping.getByRole('radio', { name: 'Model' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('heading', { name: 'By provider', exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('by')).toBe('provider');
  const chosen = grouping.getByRole('radio', { name: 'Provider' });
  expect(await chosen.isChecked()).toBe(true);
  expect(await chosen.evaluate((radio) => radio.ownerDocument.activeElement === radio)).toBe(true);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.setViewportSize({ width: 1440, height: 900 });
});

test('a comparison that cannot be read is named in place of its figures, and read by itself', async () => {
  const { page, open } = visit;
  await open('/overview?compare=previous');
  const spend = page.getByRole('button', { name: /^Spend/ });
  await spend.getByText('was $0').waitFor();
  const body = JSON.stringify({ error: { code: 503, message: 'Service temporarily unavailable' } });
  const other = '2026-01-05';
  await page.route(isAnalytics, (route) => {
    const asked = route.request().postDataJSON() as { granularity?: string; time_range: { start: string } };
    const isComparison = asked.granularity === undefined && asked.time_range.start.startsWith(other);
    return isComparison
      ? route.fulfill({ status: 503, contentType: 'application/json', body })
      : route.continue();
  });
  await open(`/overview?compare=custom&compare_from=${other}&compare_to=2026-01-08`);
  await spend.getByText('comparison not read').waitFor();
  await page.getByRole('status').filter({ hasText: 'The other range could not be read.' }).waitFor();
  expect(await spend.locator('[title^="$0.0"]').count()).toBe(1);
  expect(await faultsOfBothLooks(page)).toEqual([]);
  await page.unroute(isAnalytics);
  await spend.getByText('was $0').waitFor();
  expect(await page.getByText('could not be read').count()).toBe(0);
});

test('no page sends a call that is not valid, causes an error of a script, or breaks the content policy', () => {
  expect(refused).toEqual([]);
  expect(visit.problems).toEqual([]);
});
