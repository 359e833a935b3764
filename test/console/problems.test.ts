import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newUuid } from '../../domain/ids.ts';
import { addPrivateEndpoint } from '../support/own-resources.ts';
import { type ConsolePage, type ConsoleScene, startConsole } from './support/console-scene.ts';
import { faultsOfAccess } from './support/faults-of-access.ts';

const SINCE = '2026-03-01T00:00:00.000Z';

let scene: ConsoleScene;
let visit: ConsolePage;
let destinationId: string;
let generationId: string;

beforeAll(async () => {
  scene = await startConsole();
  visit = await scene.openPage();
  await visit.signIn(scene.gateway.managementKey);
});
afterAll(() => scene?.close());

const asManager = () => ({ headers: { authorization: `Bearer ${scene.gateway.managementKey}` } });

async function idOf(method: string, path: string, body: object, options: object = {}): Promise<string> {
  const answer = (await (await scene.gateway.call(method, path, { body, ...options })).json()) as {
    id?: string;
    data?: { id: string };
  };
  return answer.id ?? answer.data!.id;
}

/** Writes deliveries that failed, one a minute. */
async function addFailedDeliveries(count: number): Promise<void> {
  const { database, organizationId, workspaceId } = scene.gateway;
  await database.query(
    `insert into webhook_deliveries (id, organization_id, workspace_id, event_id, event_type, url, payload, status,
       dispatched_at, completed_at, created_at)
     select gen_random_uuid(), $1, $2, $3 || n, 'model.expiring', 'https://app.example.com/in', '{}', 'exhausted',
       now(), now(), $4::timestamptz + n * interval '1 minute' from generate_series(0, $5::int - 1) n`,
    [organizationId, workspaceId, `${newUuid()}-`, SINCE, count],
  );
}

/** Makes one problem of each kind. */
async function addProblems(): Promise<void> {
  const { gateway } = scene;
  const { database, workspaceId } = gateway;
  destinationId = await idOf(
    'POST',
    '/observability/destinations',
    { name: 'Tool', type: 'webhook', config: { url: 'https://tool.example.com/in' } },
    asManager(),
  );
  await database.query(
    `update broadcast_progress set state = 'needs_attention', reason = 'The tool answered 401.', failing_since = $2
     where destination_id = $1`,
    [destinationId, SINCE],
  );
  await database.query(
    `insert into failing_callbacks (workspace_id, url_hash, url, failing_since, last_failed_at)
     values ($1, '\\x00', 'https://app.example.com/in', $2, now())`,
    [workspaceId, SINCE],
  );
  const job = await idOf('POST', '/videos', { model: 'local/clip-1', prompt: 'A boat' });
  await database.query(
    `insert into job_submissions (job_id, n, endpoint_id, provider, idempotency_key, state)
     values ($1, 1, 'e', 'local', 'k', 'unconfirmed')`,
    [job],
  );
  const endpoint = await addPrivateEndpoint(gateway, null, { status: 'disabled' });
  await database.query(
    `insert into open_circuits (circuit_id, open_until) values ($1, now() + interval '1 hour')`,
    [`${endpoint}/open`],
  );
  await database.query(
    `insert into api_keys (hash, label, name, kind, organization_id, workspace_id, limit_nanos)
     values (repeat('a', 64), 'sk-…', 'Nearly spent', 'regular', $1, $2, 1000000000)`,
    [gateway.organizationId, workspaceId],
  );
  await database.query(
    `with k as (select id from api_keys where name = 'Nearly spent'), spent as (
       insert into key_usage_totals (key_id, shard, usage_nanos, byok_usage_nanos, request_count)
       select id, 0, 950000000, 0, 1 from k)
     insert into budget_alerts (payer, payer_id, period, threshold)
     select 'key', id::text, 'limit-1000000000', 80 from k`,
  );
  generationId = await idOf('POST', '/chat/completions', {
    model: 'local/echo-1',
    messages: [{ role: 'user', content: 'Hello' }],
  });
}

test('the overview says that nothing is wrong', async () => {
  await visit.open('/overview');
  await visit.page.getByText('Nothing is wrong now.').waitFor();
});

test('the overview says what it cannot read, and goes on by itself', async () => {
  const { page, open } = visit;
  const isCall = (url: URL): boolean => url.pathname === '/api/v1/organization/problems';
  const body = JSON.stringify({ error: { code: 503, message: 'Service temporarily unavailable' } });
  await page.route(isCall, (route) => route.fulfill({ status: 503, contentType: 'application/json', body }));
  await open('/overview');
  await page.getByRole('alert').filter({ hasText: 'Service temporarily unavailable' }).waitFor();
  await page.unroute(isCall);
  await page.getByText('Nothing is wrong now.').waitFor();
});

describe('with a problem of each kind', () => {
  beforeAll(async () => {
    await addProblems();
    await addFailedDeliveries(3);
  });

  test('the overview names each problem, and links to the page that helps', async () => {
    const { page, open } = visit;
    await open('/overview');
    const section = page.getByRole('region', { name: 'Needs attention' });
    await section.getByText('95% of limit spent').waitFor();
    await section.getByText('The tool answered 401.').waitFor();
    await section.getByText('did not confirm whether it accepted the job').waitFor();
    await section.getByText('because too many calls failed').waitFor();
    expect(await section.getByRole('listitem').count()).toBe(5);
    expect(await faultsOfAccess(page)).toEqual([]);
    await section.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    expect(new URL(page.url()).search).toBe(`?workspace_id=${scene.gateway.workspaceId}`);
    const rows = page.getByRole('row').filter({ hasText: 'exhausted' });
    await rows.nth(2).waitFor();
    expect(await rows.count()).toBe(3);
  });

  test('the chart says that its lines cannot be read, and draws none without them', async () => {
    const { page, open } = visit;
    const isCall = (url: URL): boolean => url.pathname === '/api/v1/analytics/query';
    const body = JSON.stringify({ error: { code: 408, message: 'The query took too long' } });
    await page.route(isCall, (route) => {
      const asked = route.request().postDataJSON() as Record<string, unknown>;
      const isSeriesOfGroups = asked['dimensions'] !== undefined && asked['granularity'] !== undefined;
      if (!isSeriesOfGroups) return route.continue();
      return route.fulfill({ status: 408, contentType: 'application/json', body });
    });
    await open('/overview');
    await page.getByRole('alert').filter({ hasText: 'The query took too long' }).waitFor();
    expect(await page.locator('canvas').count()).toBe(0);
    await page.unroute(isCall);
    await page.locator('canvas').first().waitFor();
  });

  test('webhooks since a moment are replayed after their number was named', async () => {
    const { page, open } = visit;
    await open(`/webhooks?since=${new Date(Date.parse(SINCE) + 60_000).toISOString()}`);
    await page.getByRole('button', { name: 'Replay since…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay deliveries since a moment' });
    await dialog.getByText('2 failed deliveries are sent again').waitFor();
    expect(await faultsOfAccess(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Copy as curl' }).click();
    await dialog.getByText('Copied').waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toContain('/api/v1/workspaces/default/webhook/replay');
    expect(copied).toContain('"since": "2026-03-01T00:01:00.000Z"');
    await dialog.getByRole('button', { name: 'Replay 2' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { rows } = await scene.gateway.database.query<{ replays: number }>(
      'select replays from webhook_deliveries order by created_at',
    );
    expect(rows.map(({ replays }) => replays)).toEqual([0, 1, 1]);

    await page.getByRole('button', { name: 'Replay since…' }).click();
    await dialog.getByText('There are no failed deliveries since then.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Replay 0' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
  });

  test('a destination previews the newest generation, and one that it would leave out', async () => {
    const { page, open } = visit;
    await open(`/destinations/${destinationId}`);
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'Preview' }) });
    await card.getByRole('button', { name: 'Preview' }).click();
    await card.getByText('would be sent as the span').waitFor();
    await card.getByRole('row').filter({ hasText: 'sluice.generation.id' }).getByText(generationId).waitFor();
    await card.getByRole('row').filter({ hasText: 'gen_ai.input.messages' }).getByText('Hello').waitFor();
    expect(await faultsOfAccess(page)).toEqual([]);
    await scene.gateway.call('PATCH', `/observability/destinations/${destinationId}`, {
      ...asManager(),
      body: { regions: ['us'] },
    });
    await card.getByRole('button', { name: 'Preview' }).click();
    await card.getByText('The generation belongs to the region "global"').waitFor();
    await card.getByLabel('Generation').fill('gen-unknown');
    await card.getByRole('button', { name: 'Preview' }).click();
    await card.getByRole('alert').waitFor();
  });

  test('dead letters since a moment are replayed after their number was named', async () => {
    const { page, open } = visit;
    await scene.gateway.database.query(
      `insert into broadcast_dead_letters (id, destination_id, created_at, generation_id, reason, died_at)
       select gen_random_uuid(), $1, now(), 'gen-' || n, 'Refused.', now() - n * interval '1 day'
       from generate_series(1, 3) n`,
      [destinationId],
    );
    await open(`/destinations/${destinationId}`);
    await page.getByRole('button', { name: 'Replay…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay dead letters?' });
    await dialog.getByText('3 dead letters are sent again.').waitFor();
    const local = new Date(Date.now() - 2.5 * 86_400_000).toISOString().slice(0, 16);
    await dialog.getByLabel('Since (all, if empty)').fill(local);
    await dialog.getByRole('button', { name: 'Cancel' }).focus();
    await dialog.getByText('2 dead letters are sent again.').waitFor();
    expect(await faultsOfAccess(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Replay 2' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { rows } = await scene.gateway.database.query(
      'select from broadcast_dead_letters where replay_requested_at is not null',
    );
    expect(rows).toHaveLength(2);
  });

  test('a generation shows its cost by kind, and where its time went', async () => {
    const { page, open } = visit;
    await open(`/generations/${generationId}`);
    await page.getByText('– Prompt', { exact: true }).waitFor();
    await page.getByText('– Answer', { exact: true }).waitFor();
    await page.getByText('Answer of the provider:').waitFor();
    const amounts = await page.locator('dd data').all();
    const [charged, total, ...kinds] = await Promise.all(
      amounts.map(async (amount) => Number(await amount.getAttribute('value'))),
    );
    expect(total).toBe(charged);
    expect(kinds.reduce((sum, amount) => sum + amount, 0)).toBeCloseTo(total!, 12);
    expect(await faultsOfAccess(page)).toEqual([]);
  });

  test.each([
    ['generation', '/generations/gen-unknown'],
    ['destination', '/destinations/unknown'],
    ['job', '/jobs/unknown'],
    ['directory sync', `/syncs/${newUuid()}`],
    ['workspace', '/workspaces/unknown'],
    ['model', '/models/local/unknown', 'local/unknown is not a model'],
  ])('shows a problem for a %s that does not exist', async (_what, address, message = 'not found') => {
    const { page, open } = visit;
    await open(address);
    await page.getByRole('alert').filter({ hasText: message }).first().waitFor();
    expect(await faultsOfAccess(page)).toEqual([]);
  });

  test('no page breaks a rule of the content policy', () => {
    expect(visit.problems).toEqual([]);
  });
});
