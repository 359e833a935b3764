import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addWorkspace, addKey } from '../support/accounts.ts';
import { createCaller, type Caller } from '../support/caller.ts';
import { addDraft } from '../support/own-resources.ts';
import { type ScimSource, somePeople, startScimSource } from '../support/scim-source.ts';
import { putSource, synced } from '../support/syncs.ts';
import { type ConsolePage, type ConsoleScene, startConsole } from './support/console-scene.ts';
import { faultsOfBothLooks } from './support/faults-of-access.ts';

let scene: ConsoleScene;
let visit: ConsolePage;
let manager: Caller;
let source: ScimSource;
let otherWorkspaceId: string;

const TEMPORAL_UI = 'http://127.0.0.1:1/ui/';

beforeAll(async () => {
  source = await startScimSource();
  scene = await startConsole({
    worker: ['directory', 'provider-io', 'video'],
    bootstrap: { entitlements: ['private_endpoints'] },
    env: { TEMPORAL_UI_URL: TEMPORAL_UI },
  });
  manager = createCaller(scene.gateway.origin, scene.gateway.managementKey);
  const other = await addWorkspace(scene.gateway);
  otherWorkspaceId = other.workspaceId;
  await addKey(scene.gateway, { workspaceId: otherWorkspaceId, name: 'Elsewhere' });
  visit = await scene.openPage();
  await visit.signIn(scene.gateway.managementKey);
});
afterAll(async () => {
  await scene?.close();
  await source?.close();
});

async function hasNoFaults(): Promise<void> {
  await visit.page.waitForLoadState('networkidle');
  expect(await faultsOfBothLooks(visit.page)).toEqual([]);
}

describe('directory syncs', () => {
  test('lists none before the first, and then each with the changes that it made', async () => {
    const { page, open } = visit;
    await open('/syncs');
    await page.getByText('There are no directory syncs yet.').waitFor();
    await hasNoFaults();
    source.people = somePeople(3);
    await putSource(manager, source);
    await scene.gateway.database.query('update scim_sources set next_sync_at = null');
    await synced(manager);
    await page.reload();
    await page.getByRole('cell', { name: 'succeeded' }).first().waitFor();
    await hasNoFaults();
    await page.getByRole('table').getByRole('link').first().click();
    await page.getByRole('heading', { name: 'What it changed' }).waitFor();
    const change = page.getByRole('row').filter({ hasText: source.people[0]!.userName });
    await change.first().getByRole('cell', { name: 'org:member' }).waitFor();
    await hasNoFaults();
    const link = await page.getByRole('link', { name: 'Temporal UI' }).last().getAttribute('href');
    expect(link).toContain(`/workflows/directory-sync-${scene.gateway.organizationId}`);
  });
});

describe('endpoint checks', () => {
  test('lists none before the first, and then each with its checks', async () => {
    const { page, open } = visit;
    await open('/validations');
    await page.getByText('No endpoint was validated yet.').waitFor();
    const id = await addDraft(scene.gateway, { base_url: 'http://127.0.0.1:1/v1' });
    await manager.call('POST', `/private-endpoints/${id}/validate`, {
      body: { workspace_id: scene.gateway.workspaceId },
    });
    await page.reload();
    const row = page.getByRole('row').filter({ hasText: id });
    await row.getByRole('listitem').filter({ hasText: 'failed' }).waitFor();
    await hasNoFaults();
  });

  test('says that an organization may have none', async () => {
    const { page, open } = visit;
    const call = '**/api/v1/private-endpoint-validations*';
    await page.route(call, (route) =>
      route.fulfill({ status: 403, json: { error: { code: 403, message: 'Not allowed' } } }),
    );
    await open('/validations');
    await page.getByText('Your organization has no private endpoints.').waitFor();
    await page.unroute(call);
  });
});

test('a job shows its checks, and leads to its run in the namespace of this installation', async () => {
  const { page, open } = visit;
  const accepted = await scene.gateway.call('POST', '/videos', {
    body: { model: 'local/clip-1', prompt: 'A paper boat' },
  });
  const { id } = (await accepted.json()) as { id: string };
  await open(`/jobs/${id}`);
  await page.getByText('Ended: completed').waitFor();
  await page.getByText(/Checked at its provider \d+ times/).waitFor();
  const { namespace } = scene.gateway.config.temporal;
  const link = page.getByRole('link', { name: 'Temporal UI' });
  expect(await link.last().getAttribute('href')).toBe(
    `http://127.0.0.1:1/ui/namespaces/${namespace}/workflows/${id}`,
  );
  const regular = await scene.openPage();
  await regular.signIn(scene.gateway.apiKey);
  await regular.open(`/jobs/${id}`);
  await regular.page.getByText('Ended: completed').waitFor();
  expect(await regular.page.getByRole('link', { name: 'Temporal UI' }).count()).toBe(0);
  await regular.context.close();
});

test('generations are filtered by what catalog and keys suggest, and the page says how long they are kept', async () => {
  const { page, open } = visit;
  await open('/generations');
  await page.getByText('is kept for 90 days').waitFor();
  await page.getByLabel('Provider').selectOption({ label: 'Local upstream' });
  await page.getByLabel('Workspace').selectOption(otherWorkspaceId);
  await page.getByText('No generation matches.').waitFor();
  expect(new URL(page.url()).search).toBe(`?provider=local&workspace_id=${otherWorkspaceId}`);
  const suggested = await page.locator('#suggested-keys option').allTextContents();
  expect(suggested.some((text) => text.startsWith('Elsewhere ('))).toBe(true);
});

test('the overview compares with the range that its URL names, to the last digit of the API', async () => {
  const { page, open } = visit;
  await scene.gateway.call('POST', '/chat/completions', {
    body: { model: 'local/echo-1', messages: [{ role: 'user', content: 'Compare me' }] },
  });
  await open('/overview');
  await page.getByLabel('Compare with').selectOption({ label: 'Another range' });
  const day = new Date().toISOString().slice(0, 10);
  await page.getByLabel('Last day of the other range (UTC)').fill(day);
  await page.getByLabel('First day of the other range (UTC)').fill(day);
  expect(new URL(page.url()).searchParams.get('compare_from')).toBe(day);
  await page.reload();
  const answer = await manager.call('POST', '/analytics/query', {
    body: {
      metrics: ['total_usage'],
      time_range: {
        start: `${day}T00:00:00.000Z`,
        end: new Date(Date.parse(day) + 86_400_000).toISOString(),
      },
    },
  });
  const { data } = (await answer.json()) as { data: { data: { total_usage: number }[] } };
  const tile = page.getByRole('button', { name: /^Spend/ });
  const shown = `from $${data.data[0]!.total_usage.toLocaleString('en-US', { maximumFractionDigits: 15 })}`;
  await tile.locator(`[title="${shown}"]`).waitFor();
  await hasNoFaults();
});

describe('the form of a destination', () => {
  test('has the fields of each type, and shows what the API refuses at its field', async () => {
    const { page, open } = visit;
    await open('/destinations');
    await page.getByRole('button', { name: 'Create destination' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create destination' });
    await dialog.getByLabel('Type').selectOption('langfuse');
    await dialog.getByLabel('Secret key').waitFor();
    expect(await dialog.getByLabel('Secret key').getAttribute('type')).toBe('password');
    await hasNoFaults();
    await dialog.getByLabel('Type').selectOption('webhook');
    await dialog.getByLabel('Name').fill('Receiver');
    await dialog.getByLabel('Url').fill('nowhere');
    await dialog.getByLabel('Headers').fill('Authorization: Bearer abcdefghijklmnopqrstuvwxyz');
    await dialog.getByRole('button', { name: 'Create destination' }).click();
    await dialog.getByRole('alert').first().waitFor();
    expect(await dialog.getByLabel('Url').getAttribute('aria-invalid')).toBe('true');
    await hasNoFaults();
    await dialog.getByLabel('Url').fill('https://tool.example.com/in');
    await dialog.getByRole('button', { name: 'Create destination' }).click();
    await page.getByRole('link', { name: 'Receiver' }).click();
  });

  test('changes a destination, and never shows a secret again', async () => {
    const { page } = visit;
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit “Receiver”' });
    expect(await dialog.getByLabel('Headers').inputValue()).not.toContain('abcdefghijklmnop');
    await dialog.getByLabel('Sampling rate').fill('0.5');
    await hasNoFaults();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('50 %').waitFor();
    expect(await page.content()).not.toContain('klmnopqrstuv');
  });
});

describe('the playground', () => {
  test('pays with a key of another workspace', async () => {
    const { page, open } = visit;
    await open('/playground?model=local/echo-1');
    await page.getByLabel('Key that pays').selectOption({ label: 'Elsewhere' });
    await page.getByLabel('Message').fill('From elsewhere');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('You said: From elsewhere').waitFor();
    const answer = await manager.call('GET', `/generations?workspace_id=${otherWorkspaceId}`);
    expect(((await answer.json()) as { data: unknown[] }).data).toHaveLength(1);
  });

  test('shows calls of tools, and sends the next message as their result', async () => {
    const { page } = visit;
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByText('Tools', { exact: true }).click();
    const parameters = { type: 'object', properties: { city: { type: 'string' } } };
    const tool = { type: 'function', function: { name: 'get_weather', parameters } };
    await page.getByLabel('Tools as JSON').fill(JSON.stringify([tool]));
    await page.getByLabel('Message').fill('Please call get_weather');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Calls get_weather with').waitFor();
    const sent = page.waitForRequest('**/api/v1/chat/completions');
    await page.getByLabel('Message').fill('Sunny');
    await page.getByRole('button', { name: 'Send' }).click();
    const { messages } = (await sent).postDataJSON() as { messages: { role: string; content: string }[] };
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(messages[2]!.content).toBe('Sunny');
    await page.getByText('in total').nth(1).waitFor();
    await hasNoFaults();
  });
});

test('the page of keys shows those of all workspaces', async () => {
  const { page, open } = visit;
  await open('/keys?workspace_id=all');
  const row = page.getByRole('row').filter({ hasText: 'Elsewhere' });
  await row.waitFor();
  await page.getByRole('columnheader', { name: 'Workspace' }).waitFor();
  await hasNoFaults();
});

test('models are filtered by provider', async () => {
  const { page, open } = visit;
  await open('/models');
  await page.getByLabel('Provider').selectOption({ label: 'Local upstream' });
  await page.getByRole('link', { name: 'Local: Echo 1' }).waitFor();
  expect(new URL(page.url()).searchParams.get('providers')).toBe('local');
});

test('no page causes an error of a script, or breaks a rule of the content policy', () => {
  expect(visit.problems).toEqual([]);
});
