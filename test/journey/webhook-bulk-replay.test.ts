import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { newUuid } from '../../domain/ids.ts';
import { hashToken } from '../../services/accounts/identity/key-token.ts';
import { addKey, addOrganization, addWorkspace } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

interface Replayed {
  count: number;
  next_since: string | null;
}

let gateway: Gateway;
let manager: Caller;
let receiver: Receiver;

beforeAll(async () => {
  [gateway, receiver] = await Promise.all([
    startGateway({
      worker: ['maintenance', 'webhooks'],
      times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000 },
    }),
    startReceiver(),
  ]);
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(async () => {
  await receiver.close();
  await gateway.close();
});

/** Writes ended deliveries of a workspace, one a second from `from` on. Returns their event ids. */
async function addEnded(
  { workspaceId, organizationId = gateway.organizationId }: { workspaceId: string; organizationId?: string },
  status: string,
  from: string,
  count = 1,
): Promise<string[]> {
  const { rows } = await gateway.database.query<{ event_id: string }>(
    `insert into webhook_deliveries (id, organization_id, workspace_id, event_id, event_type, url, payload, status,
       dispatched_at, completed_at, created_at)
     select gen_random_uuid(), $1, $2, $3 || n, 'model.expiring', $4, '{"n":' || n || '}', $5, now(), now(),
       $6::timestamptz + n * interval '1 second' from generate_series(0, $7::int - 1) n
     returning event_id`,
    [organizationId, workspaceId, `${newUuid()}-`, receiver.url, status, from, count],
  );
  return rows.map(({ event_id: id }) => id);
}

function replay(
  workspaceId: string,
  body: object,
  { key, by = manager }: { key?: string; by?: Caller } = {},
): Promise<Response> {
  const headers = { 'x-request-id': 'replay-1', ...(key === undefined ? {} : { 'idempotency-key': key }) };
  return by.call('POST', `/workspaces/${workspaceId}/webhook/replay`, { headers, body });
}

async function replayed(response: Response): Promise<Replayed> {
  expect(response.status).toBe(202);
  return ((await response.json()) as { data: Replayed }).data;
}

async function pendingOf(workspaceId: string): Promise<string[]> {
  const { rows } = await gateway.database.query<{ event_id: string }>(
    `select event_id from webhook_deliveries where workspace_id = $1 and replays > 0 order by created_at`,
    [workspaceId],
  );
  return rows.map(({ event_id: id }) => id);
}

async function countOf(query: string): Promise<number> {
  const response = await manager.call('GET', `/webhooks/deliveries?limit=1&${query}`);
  return ((await response.json()) as { total_count: number }).total_count;
}

describe('POST /workspaces/{id}/webhook/replay', () => {
  test('sends what failed since a moment, after a worker that was away comes back', async () => {
    const place = { workspaceId: gateway.workspaceId };
    await addEnded(place, 'exhausted', '2026-03-01T00:00:00Z');
    const [first] = await addEnded(place, 'exhausted', '2026-03-02T00:00:00Z');
    const [second] = await addEnded(place, 'stopped', '2026-03-02T00:00:01Z');
    await addEnded(place, 'delivered', '2026-03-02T00:00:02Z');
    await addEnded(await addWorkspace(gateway), 'exhausted', '2026-03-02T00:00:03Z');
    await gateway.stopWorker();
    const since = '2026-03-02T00:00:00Z';
    expect(await countOf(`workspace_id=${place.workspaceId}&status=failed&since=${since}`)).toBe(2);
    expect(await replayed(await replay('default', { since }))).toEqual({ count: 2, next_since: null });
    expect(await countOf(`workspace_id=${place.workspaceId}&status=failed&since=${since}`)).toBe(0);
    expect(await pendingOf(place.workspaceId)).toEqual([first, second]);
    await gateway.startWorker();
    const arrived = await receiver.next(2);
    expect(new Set(arrived.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([first, second]));
    for (const { headers, body } of arrived) {
      new Webhook(gateway.webhookSecret).verify(body, headers as Record<string, string>);
    }
    await eventually('both delivered', async () => {
      const delivered = await countOf(`workspace_id=${place.workspaceId}&status=delivered&since=${since}`);
      return delivered === 3 ? true : undefined;
    });
    expect(receiver.received).toHaveLength(2);
    expect(await auditRows(gateway, `workspaces/${place.workspaceId}`)).toEqual([
      {
        organization_id: gateway.organizationId,
        key_hash: hashToken(gateway.managementKey),
        action: 'replayWebhooks',
        target: `workspaces/${place.workspaceId}`,
        request_id: 'replay-1',
      },
    ]);
  });

  describe('while no worker runs', () => {
    beforeAll(() => gateway.stopWorker());

    test('takes delivered ones too if all that ended are requested, and none after the end', async () => {
      const place = await addWorkspace(gateway);
      const since = '2026-03-02T00:00:00Z';
      const failed = await addEnded(place, 'exhausted', since);
      const delivered = await addEnded(place, 'delivered', '2026-03-02T00:01:00Z');
      await addEnded(place, 'delivered', '2026-03-02T00:02:00Z');
      await addEnded(place, 'pending', '2026-03-02T00:01:30Z');
      const range = { since, until: '2026-03-02T00:02:00Z', status: 'ended' };
      expect(await replayed(await replay(place.workspaceId, range))).toEqual({ count: 2, next_since: null });
      expect(await pendingOf(place.workspaceId)).toEqual([...failed, ...delivered]);
    });

    test('takes a thousand at most, and says where the next request continues', async () => {
      const place = await addWorkspace(gateway);
      const since = '2026-03-02T00:00:00Z';
      const all = await addEnded(place, 'exhausted', since, 1_003);
      const first = await replayed(await replay(place.workspaceId, { since }));
      expect(first).toEqual({ count: 1_000, next_since: '2026-03-02T00:16:39.000Z' });
      expect(await pendingOf(place.workspaceId)).toEqual(all.slice(0, 1_000));
      const rest = await replayed(await replay(place.workspaceId, { since: first.next_since }));
      expect(rest).toEqual({ count: 3, next_since: null });
      expect(await pendingOf(place.workspaceId)).toEqual(all);
    });

    test('replays once for each idempotency key, also in simultaneous requests', async () => {
      const place = await addWorkspace(gateway);
      const since = '2026-03-02T00:00:00Z';
      await addEnded(place, 'exhausted', since, 2);
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => replay(place.workspaceId, { since }, { key: 'once' })),
      );
      await addEnded(place, 'exhausted', since);
      answers.push(await replay(place.workspaceId, { since }, { key: 'once' }));
      const bodies = await Promise.all(answers.map(replayed));
      expect(bodies).toEqual(Array(9).fill({ count: 2, next_since: null }));
      expect(answers.at(-1)!.headers.get('idempotent-replayed')).toBe('true');
      expect(await pendingOf(place.workspaceId)).toHaveLength(2);
    });

    test('answers 404 for a workspace of another organization, and 400 without a time', async () => {
      const foreign = await addOrganization(gateway);
      const { token } = await addKey(gateway, { ...foreign, kind: 'management' });
      const body = { since: '2026-03-02T00:00:00Z' };
      const by = createCaller(gateway.origin, token);
      expect((await replay(gateway.workspaceId, body, { by })).status).toBe(404);
      expect((await errorOf(await replay('default', {}))).code).toBe(400);
      expect(
        (await replay('default', body, { by: createCaller(gateway.origin, gateway.apiKey) })).status,
      ).toBe(403);
    });
  });
});
