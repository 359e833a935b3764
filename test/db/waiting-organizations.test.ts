import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createDatabase, type Database } from '../support/open-database.ts';
import { createSweepStore } from '../../db/videos/sweep-store.ts';
import { createWebhookStore } from '../../db/webhooks/webhook-store.ts';
import { addKey, addOrganization } from '../support/accounts.ts';
import { createCaller } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { submit } from '../support/jobs.ts';

let gateway: Gateway;
let database: Database;
/** The ids of three organizations, in the order of their jobs. */
let organizations: string[];

beforeAll(async () => {
  gateway = await startGateway();
  database = createDatabase({ url: gateway.config.database.url, poolMax: 1 });
  organizations = [];
  for (let n = 0; n < 3; n += 1) {
    const place = await addOrganization(gateway);
    const { token } = await addKey(gateway, place);
    await submit(createCaller(gateway.origin, token));
    organizations.push(place.organizationId);
  }
  // Afterwards the starter of the API changes nothing any more.
  await eventually('the starts of the jobs', async () => {
    const { rows } = await gateway.database.query('select from video_jobs where dispatched_at is null');
    return rows.length === 0 || undefined;
  });
});

/** Each organization has five undispatched jobs and webhooks: first all of one, then all of the next. */
beforeEach(async () => {
  await gateway.database.query('delete from webhook_deliveries');
  await gateway.database.query(`update video_jobs set dispatched_at = null`);
  await gateway.database.query(
    `insert into webhook_deliveries
       (id, organization_id, workspace_id, event_id, event_type, url, payload, created_at)
     select gen_random_uuid(), organization_id, workspace_id, gen_random_uuid(), 't', 'https://a.example', '{}',
       created_at - interval '1 hour' + n * interval '1 millisecond'
     from video_jobs, generate_series(1, 5) n`,
  );
});

afterAll(async () => {
  await database.close();
  await gateway.close();
});

test('waiting webhooks are taken in turn by organization, the oldest first', async () => {
  const [first, second, third] = organizations;
  const deliveries = await createWebhookStore(database.knex).undispatched(1_000, 7);
  expect(deliveries.map(({ organizationId }) => organizationId)).toEqual([
    first,
    second,
    third,
    first,
    second,
    third,
    first,
  ]);
  const ofFirst = deliveries.filter(({ organizationId }) => organizationId === first);
  const ages = ofFirst.map(({ createdAt }) => createdAt.getTime());
  expect(ages).toEqual(ages.toSorted((a, b) => a - b));
});

test('webhooks that are young, dispatched or delivered are not taken', async () => {
  const [first, second, third] = organizations;
  const set = (columns: string, id: string | undefined) =>
    gateway.database.query(`update webhook_deliveries set ${columns} where organization_id = $1`, [id]);
  await set('created_at = now()', first);
  await set('dispatched_at = now()', second);
  await set(`status = 'delivered', completed_at = now()`, third);
  expect(await createWebhookStore(database.knex).undispatched(60_000, 7)).toEqual([]);
});

test("the claim queue counts each organization's started jobs, and lists undispatched ones", async () => {
  const [first, second, third] = organizations;
  await gateway.database.query(
    `update video_jobs set dispatched_at = now() - interval '3 seconds' where organization_id = $1`,
    [second],
  );
  const queue = await createSweepStore(database.knex).waitingForClaim(30_000, 500);
  expect(queue.started).toEqual(new Map([[second, 1]]));
  expect(new Set(queue.undispatched)).toEqual(new Set([first, third]));
  expect(queue.oldestMs).toBeGreaterThan(2_900);
  expect(await createSweepStore(database.knex).waitingForClaim(1_000, 500)).toMatchObject({
    started: new Map(),
    oldestMs: 0,
  });
});
