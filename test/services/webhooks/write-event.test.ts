import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { DeliveredEventType } from '../../../domain/webhooks/webhook-event.ts';
import { settleJob } from '../../../services/videos/settle-job.ts';
import { writeEvent } from '../../../services/webhooks/write-event.ts';
import { addKey, addOrganization, addWorkspace } from '../../support/accounts.ts';
import { type TestActivityDeps, createActivityDeps } from '../../support/activity-deps.ts';
import { createCaller } from '../../support/caller.ts';
import { commitEvent } from '../../support/events.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { factsOf } from '../../support/job-facts.ts';
import { submit } from '../../support/jobs.ts';
import { updateWorkspace } from '../../support/workspaces.ts';

const URL = 'https://app.example.com/hooks';
const OTHER_URL = 'https://app.example.com/other';

let gateway: Gateway;
let deps: TestActivityDeps;

beforeAll(async () => {
  gateway = await startGateway();
  deps = await createActivityDeps(gateway);
});

beforeEach(() => settings('default', { default_callback_url: URL, webhook_event_types: null }));

afterAll(async () => {
  await deps.close();
  await gateway.close();
});

function settings(workspace: string, changes: object) {
  return updateWorkspace(createCaller(gateway.origin, gateway.managementKey), workspace, changes);
}

async function outbox(eventId: string): Promise<unknown[]> {
  const { rows } = await gateway.database.query(
    `select job_id, workspace_id, url, payload, status, dispatched_at from webhook_deliveries where event_id = $1`,
    [eventId],
  );
  return rows;
}

describe('an event about no job', () => {
  test('goes to the default callback URL of its workspace', async () => {
    const delivery = await commitEvent(gateway, deps.knex, { eventId: 'plain', payload: '{"a":1}' });
    expect(delivery).toMatchObject({
      jobId: null,
      eventId: 'plain',
      url: URL,
      status: 'pending',
      replays: 0,
    });
    expect(await outbox('plain')).toEqual([
      {
        job_id: null,
        workspace_id: gateway.workspaceId,
        url: URL,
        payload: '{"a":1}',
        status: 'pending',
        dispatched_at: null,
      },
    ]);
  });

  test('goes to the URL of another workspace when it belongs there', async () => {
    const { workspaceId } = await addWorkspace(gateway);
    await settings(workspaceId, { default_callback_url: OTHER_URL });
    expect(await commitEvent(gateway, deps.knex, { workspaceId })).toMatchObject({
      workspaceId,
      url: OTHER_URL,
    });
  });

  test('goes to the default workspace when it belongs to the organization', async () => {
    await settings((await addWorkspace(gateway)).workspaceId, { default_callback_url: OTHER_URL });
    const { organizationId, workspaceId } = gateway;
    const event = {
      organizationId,
      eventId: 'organization',
      type: 'video.generation.failed',
      payload: '{}',
    } as const;
    const written = await deps.knex.transaction((transaction) => writeEvent(transaction, event));
    expect(written).toMatchObject({ organizationId, workspaceId, url: URL });
  });

  test('needs a URL and a live workspace of its organization', async () => {
    const { workspaceId: silent } = await addWorkspace(gateway);
    const { workspaceId: deleted } = await addWorkspace(gateway);
    await settings(deleted, { default_callback_url: OTHER_URL });
    const manager = createCaller(gateway.origin, gateway.managementKey);
    expect((await manager.call('DELETE', `/workspaces/${deleted}`)).status).toBe(200);
    const { workspaceId: foreign } = await addOrganization(gateway);
    await gateway.database.query('update workspaces set default_callback_url = $2 where id = $1', [
      foreign,
      URL,
    ]);
    for (const workspaceId of [silent, deleted, foreign]) {
      expect(await commitEvent(gateway, deps.knex, { workspaceId })).toBeNull();
    }
  });

  test.each<[DeliveredEventType[] | null, boolean]>([
    [null, true],
    [['video.generation.failed'], true],
    [['video.generation.expired', 'video.generation.completed'], false],
    [[], false],
  ])("depends on the workspace's selection %j: %s", async (types, isWritten) => {
    await settings('default', { webhook_event_types: types });
    const delivery = await commitEvent(gateway, deps.knex, { type: 'video.generation.failed' });
    expect(delivery !== null).toBe(isWritten);
  });

  test('exists once, however often it is written', async () => {
    const event = { eventId: 'repeated' };
    const told = await Promise.all([1, 2, 3, 4].map(() => commitEvent(gateway, deps.knex, event)));
    expect(told.filter((delivery) => delivery !== null)).toHaveLength(1);
    expect(await commitEvent(gateway, deps.knex, event)).toBeNull();
    expect(await outbox('repeated')).toHaveLength(1);
  });

  test('vanishes when its transaction is rolled back', async () => {
    const { organizationId } = gateway;
    const event = {
      organizationId,
      eventId: 'undone',
      type: 'video.generation.failed',
      payload: '{}',
    } as const;
    const undone = deps.knex.transaction(async (transaction) => {
      await writeEvent(transaction, event);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await outbox('undone')).toEqual([]);
  });
});

describe('the event of a job', () => {
  test("goes to the job's own URL even if the workspace selects no type", async () => {
    await settings('default', { webhook_event_types: [] });
    const { id } = await submit(gateway, { callback_url: OTHER_URL });
    expect((await settleJob(deps.video, id, { status: 'completed' })).deliveryId).not.toBeNull();
    expect(await outbox(`${id}-completed`)).toMatchObject([{ job_id: id, url: OTHER_URL }]);
  });

  test('goes to the default URL if the workspace selects its type at the end', async () => {
    const [completed, cancelled] = [await submit(gateway), await submit(gateway)];
    await settings('default', { webhook_event_types: ['video.generation.cancelled'] });
    const unselected = await settleJob(deps.video, completed.id, { status: 'completed' });
    expect(unselected).toEqual({ first: true, status: 'completed', deliveryId: null });
    expect(
      (await settleJob(deps.video, cancelled.id, { status: 'cancelled', code: 'cancelled' })).first,
    ).toBe(true);
    expect((await factsOf(gateway, completed.id)).events).toEqual([]);
    expect(await outbox(`${cancelled.id}-cancelled`)).toMatchObject([{ job_id: cancelled.id, url: URL }]);
    // The first end decided; a repetition tells nobody either.
    await settings('default', { webhook_event_types: null });
    expect(await settleJob(deps.video, completed.id, { status: 'completed' })).toEqual({
      ...unselected,
      first: false,
    });
    expect((await factsOf(gateway, completed.id)).events).toEqual([]);
  });

  test('starts no delivery for a key with a limit when no event type is selected', async () => {
    await settings('default', { webhook_event_types: [] });
    const { token } = await addKey(gateway, { limitNanos: 1_000_000_000n });
    const { id } = await submit(createCaller(gateway.origin, token));
    expect((await settleJob(deps.video, id, { status: 'completed' })).deliveryId).toBeNull();
  });
});
