import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { webhookEvents } from '../../contract/webhook-events.ts';
import { addCredit, addKey, type IssuedKey } from '../support/accounts.ts';
import { setBudget, spend } from '../support/budget-alerts.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { askChat, completed } from '../support/chat.ts';
import { listDeliveries } from '../support/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts';
import { type Replica, startReplica } from '../support/replica.ts';
import { updateWorkspace } from '../support/workspaces.ts';
import { summed } from '../support/summed.ts';

let gateway: Gateway;
let second: Replica;
let manager: Caller;
let receiver: Receiver;
let key: IssuedKey;

beforeAll(async () => {
  [gateway, receiver] = await Promise.all([
    // No sweep finds an event before the API that wrote it has started its workflow.
    startGateway({
      worker: ['maintenance', 'webhooks'],
      times: { sweepIntervalMs: 1_000, sweepGraceMs: 3_600_000 },
    }),
    startReceiver(),
  ]);
  second = await startReplica(gateway);
  manager = createCaller(gateway.origin, gateway.managementKey);
  await updateWorkspace(manager, 'default', { default_callback_url: receiver.url });
});

beforeEach(async () => {
  receiver.received.length = 0;
  key = await addKey(gateway);
});

afterAll(async () => {
  await second.close();
  await receiver.close();
  await gateway.close();
});

/** The sweep looks at nothing by itself for an hour. */
const silenceSweep = () =>
  gateway.database.query(
    `update budget_alert_scan set began_at = now() + interval '1 hour', payer = null, after_id = null`,
  );

/** The next sweep looks at all limits. */
const wakeSweep = () => gateway.database.query(`update budget_alert_scan set began_at = '-infinity'`);

/** Commits spending of the key that no API process has a part in. */
async function spendElsewhere(usd: number): Promise<void> {
  const { organizationId, workspaceId } = gateway;
  await spend(gateway, { ...key, organizationId, workspaceId }, usd, { atMs: Date.now() });
}

async function chatAtBoth(): Promise<void> {
  for (const origin of [gateway.origin, second.origin]) {
    await completed(await askChat(gateway, { max_tokens: 50 }, createCaller(origin, key.token)));
  }
}

interface Event {
  type: string;
  data: { payer: string; payer_id: string; threshold: number; spent_usd: number; limit_usd: number };
}

function open({ headers, body }: Received): Event {
  const event = new Webhook(gateway.webhookSecret).verify(body, headers as Record<string, string>);
  return webhookEvents['budget.threshold_reached'].schema.parse(event) as Event;
}

/** The events about a payer, once there are as many. Both API processes go on with requests of the key meanwhile. */
function eventsWhileUsed(payerId: string, count: number): Promise<Event[]> {
  return eventually(`${count} events of ${payerId}`, async () => {
    await chatAtBoth();
    return eventsOf(payerId, count);
  });
}

function eventsOf(payerId: string, count: number): Event[] | undefined {
  const events = receiver.received.map(open).filter(({ data }) => data.payer_id === payerId);
  return events.length >= count ? events : undefined;
}

async function setLimit(usd: number): Promise<void> {
  const changed = await manager.call('PATCH', `/keys/${key.hash}`, { body: { limit: usd } });
  expect(changed.status).toBe(200);
}

describe('a threshold that an API process reaches', () => {
  beforeEach(silenceSweep);

  test('sends one signed event per key although two processes reach it', async () => {
    await setLimit(1);
    await spendElsewhere(0.499_99);
    const [event] = await eventsWhileUsed(key.hash, 1);
    expect(event!.data).toMatchObject({ payer: 'key', threshold: 50, limit_usd: 1 });
    expect(event!.data.spent_usd).toBeGreaterThanOrEqual(0.5);
    await spendElsewhere(0.3);
    const events = await eventsWhileUsed(key.hash, 2);
    expect(events.map(({ data }) => data.threshold)).toEqual([50, 80]);
    const deliveries = await listDeliveries(manager, 'type=budget.threshold_reached');
    expect(deliveries.filter(({ event_id: id }) => id.includes(key.hash))).toHaveLength(2);
  });

  test("uses a workspace's budget and the organization's balance", async () => {
    const { organizationId, workspaceId } = gateway;
    const enforce = (isOn: boolean) =>
      gateway.database.query('update organizations set credit_enforcement = $1', [isOn]);
    await summed(gateway.database);
    await gateway.database.query('truncate workspace_usage, organization_usage_totals');
    await addCredit(gateway, '1.5');
    await setBudget(gateway, { organizationId, workspaceId }, 'daily', 1);
    await enforce(true);
    await spendElsewhere(0.9);
    const [budget] = await eventsWhileUsed(workspaceId, 1);
    expect(budget!.data).toMatchObject({ payer: 'workspace', threshold: 80, limit_usd: 1 });
    const [credit] = await eventsWhileUsed(organizationId, 1);
    expect(credit!.data).toMatchObject({ payer: 'organization', threshold: 50, limit_usd: 1.5 });
    await enforce(false);
    await gateway.database.query('delete from workspace_budgets');
  });

  test('takes effect as soon as it is set', async () => {
    await setLimit(1);
    await spendElsewhere(0.3);
    await chatAtBoth();
    await updateWorkspace(manager, 'default', { budget_alert_thresholds: [30] });
    const [event] = await eventsWhileUsed(key.hash, 1);
    expect(event!.data.threshold).toBe(30);
    await updateWorkspace(manager, 'default', { budget_alert_thresholds: [50, 80, 100] });
  });
});

describe('a limit that refuses before all of it is spent', () => {
  beforeEach(silenceSweep);

  /** The status of a chat that reserves an eighth of the limit of $0.001. */
  async function statusAt({ origin }: { origin: string }): Promise<number> {
    const answer = await askChat(gateway, { max_tokens: 60 }, createCaller(origin, key.token));
    await answer.arrayBuffer();
    return answer.status;
  }

  async function chatUntilRefused(): Promise<number> {
    for (let answered = 0; answered < 500; answered += 1) {
      const status = await statusAt(gateway);
      if (status === 402) return answered;
      expect(status).toBe(200);
    }
    throw new Error('no limit refused');
  }

  test('sends one event of 100 % with its first refusal, over both processes', async () => {
    await setLimit(0.001);
    expect(await chatUntilRefused()).toBeGreaterThan(10);
    const at100 = (events: Event[] = []) => events.filter(({ data: { threshold } }) => threshold === 100);
    const [event] = await eventually('the alert', async () => {
      // An amount may count twice for a second, so the first refusal may come a little before the limit is spent.
      const statuses = [await statusAt(gateway), await statusAt(second)];
      const told = at100(eventsOf(key.hash, 1));
      return told.length > 0 && statuses.every((status) => status === 402) ? told : undefined;
    });
    expect(event!.data).toMatchObject({ payer: 'key', threshold: 100, limit_usd: 0.001 });
    expect(event!.data.spent_usd).toBeGreaterThan(0.0008);
    expect(event!.data.spent_usd).toBeLessThan(0.001);
    const deliveries = await listDeliveries(manager, 'type=budget.threshold_reached');
    const ids = deliveries.map(({ event_id: id }) => id).filter((id) => id.includes(key.hash));
    expect(ids.filter((id) => id.endsWith('-100'))).toHaveLength(1);
  });

  test('sends lower thresholds that are reached after the refusal of a large request', async () => {
    await setLimit(1);
    const large = () => askChat(gateway, { max_tokens: 1_000_000 }, createCaller(gateway.origin, key.token));
    expect((await large()).status).toBe(402);
    const [first] = await eventually('the alert of the refusal', async () => eventsOf(key.hash, 1));
    expect(first!.data.threshold).toBe(100);
    await spendElsewhere(0.6);
    const events = await eventsWhileUsed(key.hash, 2);
    expect(events.map(({ data: { threshold } }) => threshold)).toEqual([100, 50]);
  });

  test('sends an event of 100 % when a video job is refused', async () => {
    await setLimit(0.000_1);
    const body = { model: 'local/clip-canned', prompt: 'A river' };
    const refused = await createCaller(gateway.origin, key.token).call('POST', '/videos', { body });
    expect((await errorOf(refused)).code).toBe(402);
    const [event] = await eventually('the alert', async () => eventsOf(key.hash, 1));
    expect(event!.data).toMatchObject({ threshold: 100, spent_usd: 0 });
  });

  test('sends no event for a refusal when 100 % is no threshold', async () => {
    await updateWorkspace(manager, 'default', { budget_alert_thresholds: [90] });
    await setLimit(0.000_1);
    await chatUntilRefused();
    await updateWorkspace(manager, 'default', { budget_alert_thresholds: [50, 80, 100] });
    await chatUntilRefused();
    const events = await eventually('the alert of a later refusal', async () => {
      await chatUntilRefused();
      return eventsOf(key.hash, 1);
    });
    expect(events.map(({ data: { threshold } }) => threshold)).not.toContain(90);
  });
});

test('the sweep sends the event of a threshold that no API process reached', async () => {
  await silenceSweep();
  await setLimit(1);
  await spendElsewhere(0.9);
  await wakeSweep();
  const eventId = `budget-key-${key.hash}-limit-1000000000-80`;
  await eventually('the row of the event', async () => {
    // The sweep starts what is older than its grace, which is an hour here.
    const { rowCount } = await gateway.database.query(
      `update webhook_deliveries set created_at = now() - interval '2 hours' where event_id = $1`,
      [eventId],
    );
    return rowCount === 1 ? true : undefined;
  });
  const [event] = await eventually('the event', async () => eventsOf(key.hash, 1));
  expect(event!.data).toMatchObject({ threshold: 80, spent_usd: 0.9 });
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([eventId]);
});
