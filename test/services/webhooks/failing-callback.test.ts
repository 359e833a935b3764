import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { WebhookDelivery } from '../../../db/webhooks/webhook-store.ts';
import { sweep } from '../../../services/sweep/sweep.ts';
import { attemptDelivery } from '../../../services/webhooks/attempt-delivery.ts';
import { addWorkspace } from '../../support/accounts.ts';
import { type TestActivityDeps, createActivityDeps } from '../../support/activity-deps.ts';
import { type Caller, createCaller } from '../../support/caller.ts';
import { commitEvent } from '../../support/events.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { getWorkspace, listWorkspaces, updateWorkspace } from '../../support/workspaces.ts';

const DOWN = { status: 500 };

let gateway: Gateway;
let deps: TestActivityDeps;
let manager: Caller;
let receiver: Receiver;
/** A workspace of its own for each test, whose events go to the receiver. */
let workspaceId: string;

beforeAll(async () => {
  gateway = await startGateway();
  deps = await createActivityDeps(gateway);
  manager = createCaller(gateway.origin, gateway.managementKey);
});

beforeEach(async () => {
  receiver = await startReceiver(DOWN);
  workspaceId = await addSubscriber(receiver.url);
});

afterEach(() => receiver.close());

afterAll(async () => {
  await deps.close();
  await gateway.close();
});

async function addSubscriber(url: string): Promise<string> {
  const { workspaceId: id } = await addWorkspace(gateway);
  expect((await manager.call('POST', `/workspaces/${id}/webhook-secret/rotate`)).status).toBe(200);
  await updateWorkspace(manager, id, { default_callback_url: url });
  return id;
}

async function newDelivery(workspace = workspaceId): Promise<WebhookDelivery> {
  return (await commitEvent(gateway, deps.knex, { workspaceId: workspace }))!;
}

/** One attempt of an event; how it ended. */
async function attempt(delivery?: WebhookDelivery, number = 1): Promise<string> {
  const { id } = delivery ?? (await newDelivery());
  const { signal } = new AbortController();
  return (await attemptDelivery(deps.webhooks, id, { replay: 0, attempt: number }, signal)).kind;
}

/** Lets time pass for what is on record of failures. */
async function daysPass(days: number): Promise<void> {
  await gateway.database.query(
    `update failing_callbacks set failing_since = failing_since - $2 * interval '1 day',
            last_failed_at = last_failed_at - $2 * interval '1 day'
     where workspace_id = $1`,
    [workspaceId, days],
  );
}

async function failingSince(workspace = workspaceId): Promise<string | null> {
  return (await getWorkspace(manager, workspace)).webhook_failing_since;
}

/** What the system wrote about the workspace. */
async function reports(workspace = workspaceId): Promise<object[]> {
  const response = await manager.call('GET', '/audit-log?action=reportFailingCallbackUrl&limit=100');
  const { data } = (await response.json()) as { data: { target: string }[] };
  return data.filter(({ target }) => target.startsWith(`workspaces/${workspace}/`));
}

/** What the sweep does about failing URLs; how many it reported. */
async function sweepNow(): Promise<number> {
  return (await sweep(deps.sweeping.sweep)).reported;
}

async function failForFiveDays(): Promise<void> {
  await attempt();
  await daysPass(5);
  await sweepNow();
}

const SHOWN = [expect.any(String), [expect.any(Object)]];

describe('the default callback URL', () => {
  test('gets a report by the system after five days, and shows its first failure', async () => {
    await attempt();
    await daysPass(4.9);
    await sweepNow();
    expect([await failingSince(), await reports()]).toEqual([null, []]);
    await daysPass(0.2);
    expect(await sweepNow()).toBe(1);
    const { rows } = await gateway.database.query(
      'select failing_since from failing_callbacks where workspace_id = $1',
      [workspaceId],
    );
    expect(await failingSince()).toBe((rows[0].failing_since as Date).toISOString());
    expect(await reports()).toEqual([
      {
        id: expect.any(String),
        action: 'reportFailingCallbackUrl',
        target: `workspaces/${workspaceId}/callback-urls/${new URL(receiver.url).host}`,
        actor: 'system',
        key_hash: null,
        request_id: null,
        created_at: expect.any(String),
      },
    ]);
    const { data } = await listWorkspaces(manager, '?limit=100');
    expect(data.find(({ id }) => id === workspaceId)?.webhook_failing_since).toEqual(expect.any(String));
    expect(data.find(({ id }) => id === gateway.workspaceId)?.webhook_failing_since).toBeNull();
  });

  test('gets one report from concurrent sweeps and after further failures', async () => {
    await attempt();
    await daysPass(6);
    const reported = await Promise.all([1, 2, 3, 4].map(sweepNow));
    expect(reported.reduce((sum, one) => sum + one)).toBe(1);
    await attempt();
    await daysPass(6);
    await attempt();
    expect(await sweepNow()).toBe(0);
    expect(await reports()).toHaveLength(1);
  });

  test.each([
    ['when the audit log refuses the entry', 'trigger refuse before insert on audit_log'],
    [
      'when the commit fails',
      'constraint trigger refuse after update on failing_callbacks deferrable initially deferred',
    ],
  ])('gets its report whole or not at all: %s', async (_, trigger) => {
    await attempt();
    await daysPass(6);
    await gateway.database.query(
      `create function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$;
       create ${trigger} for each row execute function refuse()`,
    );
    expect(await sweepNow()).toBe(0);
    await gateway.database.query('drop function refuse cascade');
    expect(await reports()).toEqual([]);
    expect(await sweepNow()).toBe(1);
    expect(await reports()).toHaveLength(1);
  });

  test.each(['410', 'nobody', 'no secret'])('counts every kind of failure: %s', async (kind) => {
    if (kind === '410') receiver.answers.splice(0, 1, { status: 410 });
    if (kind === 'nobody') await receiver.close();
    if (kind === 'no secret') {
      await gateway.database.query('delete from webhook_secrets where workspace_id = $1', [workspaceId]);
    }
    await failForFiveDays();
    expect([await failingSince(), await reports()]).toEqual(SHOWN);
    if (kind === 'nobody') receiver = await startReceiver();
  });

  test('counts neither for another workspace with the same URL nor for a deleted one', async () => {
    const neighbour = await addSubscriber(receiver.url);
    await attempt();
    await daysPass(6);
    expect((await manager.call('DELETE', `/workspaces/${workspaceId}`)).status).toBe(200);
    expect(await sweepNow()).toBe(0);
    expect([await failingSince(neighbour), await reports(neighbour)]).toEqual([null, []]);
  });
});

describe('a URL that is no longer the default', () => {
  let delivery: WebhookDelivery;

  beforeEach(async () => {
    delivery = await newDelivery();
    await updateWorkspace(manager, workspaceId, { default_callback_url: null });
  });

  test('gets no report when it failed once and is out of use', async () => {
    await attempt(delivery);
    await daysPass(6);
    expect([await sweepNow(), await failingSince()]).toEqual([0, null]);
  });

  test('gets a report after five days of failures, which shows for five more', async () => {
    await attempt(delivery, 1);
    await daysPass(5);
    await attempt(delivery, 2);
    expect(await sweepNow()).toBe(1);
    expect([await failingSince(), await reports()]).toEqual(SHOWN);
    await daysPass(4.9);
    expect(await failingSince()).not.toBeNull();
    await daysPass(0.2);
    expect(await failingSince()).toBeNull();
  });
});

describe('a successful delivery', () => {
  test('ends the failures, and five more days of them cause a second report', async () => {
    await failForFiveDays();
    receiver.answers.splice(0, 1, { status: 204 });
    expect(await attempt()).toBe('delivered');
    expect(await failingSince()).toBeNull();
    receiver.answers.splice(0, 1, DOWN);
    await daysPass(6);
    await failForFiveDays();
    expect(await failingSince()).not.toBeNull();
    expect(await reports()).toHaveLength(2);
  });

  test('restarts the five days', async () => {
    await attempt();
    await daysPass(4);
    receiver.answers.unshift({ status: 200 });
    await attempt();
    await attempt();
    await daysPass(4);
    expect([await sweepNow(), await failingSince()]).toEqual([0, null]);
  });

  test("ends the failures when it is a test's, while a failed test changes nothing", async () => {
    await failForFiveDays();
    const since = await failingSince();
    await manager.call('POST', `/workspaces/${workspaceId}/webhook/test`);
    expect(await failingSince()).toBe(since);
    receiver.answers.splice(0, 1, { status: 204 });
    await manager.call('POST', `/workspaces/${workspaceId}/webhook/test`);
    expect(await failingSince()).toBeNull();
  });
});
