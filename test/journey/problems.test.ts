import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization, addWorkspace } from '../support/accounts.ts';
import { type Customer, setBudget, spend } from '../support/budget-alerts.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { addChatModel } from '../support/catalog.ts';
import { askChat, completed } from '../support/chat.ts';
import { makeDestination } from '../support/destinations.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { submit } from '../support/jobs.ts';
import { addPrivateEndpoint } from '../support/own-resources.ts';
import { CLOSED_PORT } from '../support/replica.ts';
import { summed } from '../support/summed.ts';

type Problem = Record<string, unknown>;
type Problems = Record<'limits' | 'destinations' | 'webhooks' | 'jobs' | 'circuits', Problem[]> & {
  has_more: string[];
};

const NOTHING: Problems = {
  limits: [],
  destinations: [],
  webhooks: [],
  jobs: [],
  circuits: [],
  has_more: [],
};

let gateway: Gateway;
let manager: Caller;
/** The management key of another organization. */
let foreigner: Caller;

beforeAll(async () => {
  gateway = await startGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
  const { token } = await addKey(gateway, { ...(await addOrganization(gateway)), kind: 'management' });
  foreigner = createCaller(gateway.origin, token);
});

afterAll(() => gateway.close());

async function problems(by = manager): Promise<Problems> {
  const response = await by.call('GET', '/organization/problems');
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: Problems }).data;
}

describe('GET /organization/problems', () => {
  test('returns empty lists while nothing is wrong, and answers management keys only', async () => {
    expect(await problems()).toEqual(NOTHING);
    const owner = createCaller(gateway.origin, gateway.apiKey);
    expect((await owner.call('GET', '/organization/problems')).status).toBe(403);
  });

  test('lists destinations of all workspaces that fail or that Sluice disabled, longest failure first', async () => {
    const { workspaceId } = await addWorkspace(gateway);
    const failing = await makeDestination(manager, { name: 'Failing', workspace_id: workspaceId });
    const disabled = await makeDestination(manager, { name: 'Disabled', enabled: false });
    const off = await makeDestination(manager, { name: 'Off', enabled: false });
    await makeDestination(manager, { name: 'Well' });
    const change = (id: string, state: string, since: string): Promise<unknown> =>
      gateway.database.query(
        `update broadcast_progress set state = $2, reason = 'The tool answered 401.', failing_since = $3
         where destination_id = $1`,
        [id, state, since],
      );
    await change(failing.id, 'needs_attention', '2026-01-02T00:00:00Z');
    await change(disabled.id, 'disabled', '2026-01-01T00:00:00Z');
    await change(off.id, 'backing_off', '2026-01-01T00:00:00Z');
    const { destinations } = await problems();
    expect(destinations).toEqual([
      expect.objectContaining({ name: 'Disabled', state: 'disabled' }),
      {
        id: failing.id,
        workspace_id: workspaceId,
        name: 'Failing',
        type: 'webhook',
        state: 'needs_attention',
        reason: 'The tool answered 401.',
        failing_since: '2026-01-02T00:00:00.000Z',
      },
    ]);
    expect(await problems(foreigner)).toEqual(NOTHING);
  });

  test('lists callback URLs that fail for minutes, and unused ones for five days', async () => {
    const { workspaceId } = gateway;
    const url = (name: string): string => `https://app.example.com/${name}`;
    await gateway.database.query('update workspaces set default_callback_url = $2 where id = $1', [
      workspaceId,
      url('default'),
    ]);
    const add = (name: string, since: string, last: string): Promise<unknown> =>
      gateway.database.query(
        `insert into failing_callbacks (workspace_id, url_hash, url, failing_since, last_failed_at)
         values ($1, sha256(convert_to($2, 'UTF8')), $2, now() - $3::interval, now() - $4::interval)`,
        [workspaceId, url(name), since, last],
      );
    await add('default', '9 days', '9 days');
    await add('used', '2 days', '1 day');
    await add('unused', '7 days', '6 days');
    await add('just-now', '1 minute', '1 minute');
    const { webhooks } = await problems();
    expect(webhooks.map((webhook) => webhook['url'])).toEqual([url('default'), url('used')]);
    expect(webhooks[0]).toMatchObject({ workspace_id: workspaceId, workspace_name: expect.any(String) });
    expect((await problems(foreigner)).webhooks).toEqual([]);
  });

  test('lists unconfirmed jobs of the organization, and says if there are more than twenty', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 21; n += 1) {
      const { id } = await submit(gateway);
      ids.unshift(id);
      await gateway.database.query(
        `insert into job_submissions (job_id, n, endpoint_id, provider, idempotency_key, state, sent_at)
         values ($1, 1, 'e', 'local', $1, 'unconfirmed', now() + $2::int * interval '1 second')`,
        [id, n],
      );
    }
    const { jobs, has_more: more } = await problems();
    expect([jobs.map(({ id }) => id), more]).toEqual([ids.slice(0, 20), ['jobs']]);
    expect(jobs[0]).toMatchObject({
      model: 'local/clip-canned',
      provider_name: 'Local upstream',
      state: 'unconfirmed',
    });
    expect((await problems(foreigner)).jobs).toEqual([]);
  });

  test('lists circuits that another process opened too: shared ones to all, own ones to their owner', async () => {
    const address = `http://${CLOSED_PORT}/v1`;
    await addChatModel(gateway, 'test/away', [
      { provider: 'away', adapter: 'openai-compatible', baseUrl: address },
      { provider: 'local' },
    ]);
    const own = await addPrivateEndpoint(gateway, address);
    const ask = (body: object) => askChat(gateway, body);
    const { circuits } = await eventually('two open circuits', async () => {
      await completed(await ask({ model: 'test/away', provider: { order: ['away', 'local'] } }));
      await completed(await ask({}));
      const found = await problems();
      return found.circuits.length === 2 ? found : undefined;
    });
    const of = (model: string) => circuits.find((circuit) => circuit['model'] === model);
    expect(of('local/echo-1')).toMatchObject({ endpoint_id: own, is_own: true });
    expect(of('test/away')).toMatchObject({ is_own: false });
    expect((await problems(foreigner)).circuits.map((circuit) => circuit['model'])).toEqual(['test/away']);
    await gateway.database.query('update open_circuits set open_until = now()');
    expect((await problems()).circuits).toEqual([]);
  });

  test('lists keys, budgets and credit of which at least 80 % is spent now', async () => {
    const { organizationId, workspaceId } = gateway;
    const key = await addKey(gateway, { limitNanos: 1_000_000_000n, name: 'Nearly spent' });
    const customer: Customer = { ...key, organizationId, workspaceId };
    await summed(gateway.database);
    await gateway.database.query('truncate workspace_usage, organization_usage_totals');
    await setBudget(gateway, customer, 'daily', 2);
    await spend(gateway, customer, 0.9, { atMs: Date.now() });
    const mark = (payer: string, id: string | number): Promise<unknown> =>
      gateway.database.query(
        `insert into budget_alerts (payer, payer_id, period, threshold) values ($1, $2, 'x', 80)`,
        [payer, `${id}`],
      );
    await mark('key', key.keyId);
    // The budget was raised after its alert.
    await mark('workspace', workspaceId);
    expect((await problems()).limits).toEqual([
      {
        payer: 'key',
        payer_id: key.hash,
        name: 'Nearly spent',
        workspace_id: workspaceId,
        reset_interval: 'lifetime',
        limit_usd: 1,
        spent_usd: 0.9,
        period_end: null,
      },
    ]);
    await setBudget(gateway, customer, 'daily', 1);
    const { limits } = await problems();
    expect(limits.map(({ payer, spent_usd: spent }) => [payer, spent])).toEqual([
      ['key', 0.9],
      ['workspace', 0.9],
    ]);
    expect((await problems(foreigner)).limits).toEqual([]);
  });
});
