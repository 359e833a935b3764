import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { WebhookDelivery } from '../../db/webhooks/webhook-store.ts';
import { createDatabase, type Database } from '../support/open-database.ts';
import { createRunStarter } from '../../services/runs/run-starter.ts';
import { startDelivery } from '../../services/webhooks/start-delivery.ts';
import { addKey, addOrganization, type Place } from '../support/accounts.ts';
import { createCaller } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { commitEvent } from '../support/events.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

/** More than a worker has slots for. */
const SILENT = 230;

let gateway: Gateway;
let database: Database;
let silent: Receiver;
let receiver: Receiver;

beforeAll(async () => {
  [silent, receiver] = await Promise.all([startReceiver('silence'), startReceiver()]);
  gateway = await startGateway({ worker: ALL_QUEUES, env: { WEBHOOK_TIMEOUT: '60s' } });
  database = createDatabase({ url: gateway.config.database.url, poolMax: 4 });
});

afterAll(async () => {
  await gateway.close();
  await database.close();
  await silent.close();
  await receiver.close();
});

async function addTenant(callbackUrl: string): Promise<Place> {
  const place = await addOrganization(gateway);
  const { token } = await addKey(gateway, { ...place, kind: 'management' });
  const manager = createCaller(gateway.origin, token);
  await manager.call('POST', `/workspaces/${place.workspaceId}/webhook-secret/rotate`);
  const columns = [callbackUrl, place.workspaceId];
  await gateway.database.query('update workspaces set default_callback_url = $1 where id = $2', columns);
  return place;
}

async function deliver(place: Place): Promise<WebhookDelivery> {
  const { knex } = database;
  const delivery = (await commitEvent(place, knex))!;
  const runs = createRunStarter({ client: gateway.temporal });
  await startDelivery({ knex, runs, schedule: { seconds: [0], jitter: 0 } }, delivery);
  return delivery;
}

async function attempts(place: Place): Promise<Record<string, number>> {
  const { rows } = await gateway.database.query<{ outcome: string; n: number }>(
    `select outcome, count(*)::integer n from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id
     where d.organization_id = $1 group by outcome`,
    [place.organizationId],
  );
  return Object.fromEntries(rows.map(({ outcome, n }) => [outcome, n]));
}

test('receivers that never answer leave slots for the webhooks of another organization', async () => {
  const many = await addTenant(silent.url);
  const one = await addTenant(receiver.url);
  await Promise.all(Array.from({ length: SILENT }, () => deliver(many)));
  await eventually(
    'half of the slots taken',
    async () => ((await attempts(many))['sending'] ?? 0) >= 100 || undefined,
  );
  await deliver(one);
  await receiver.next(1);
  expect(await attempts(many)).toEqual({ sending: 100 });
});
