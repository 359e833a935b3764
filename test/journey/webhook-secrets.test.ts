import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { hashToken } from '../../services/accounts/identity/key-token.ts';
import { addKey, addOrganization, addWorkspace } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { submit } from '../support/jobs.ts';
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts';
import { type Replica, startReplica } from '../support/replica.ts';

interface Rotated {
  secret: string;
  previous_secret_expires_at: string | null;
}

let gateway: Gateway;
let replica: Replica;
let receiver: Receiver;
let owner: Caller;
let manager: Caller;

beforeAll(async () => {
  [gateway, receiver] = await Promise.all([startGateway({ worker: ['video', 'webhooks'] }), startReceiver()]);
  replica = await startReplica(gateway);
  owner = createCaller(gateway.origin, gateway.apiKey);
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(async () => {
  await replica.close();
  await receiver.close();
  await gateway.close();
});

function rotate(key?: string, { by = manager, workspace = gateway.workspaceId } = {}): Promise<Response> {
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
  return by.call('POST', `/workspaces/${workspace}/webhook-secret/rotate`, { headers });
}

async function rotatedOf(response: Response): Promise<Rotated> {
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: Rotated }).data;
}

/** Which of the secrets the webhook is signed with. */
function signersOf(webhook: Received, secrets: Record<string, string>): string[] {
  const headers = webhook.headers as Record<string, string>;
  return Object.entries(secrets).flatMap(([name, secret]) => {
    try {
      new Webhook(secret).verify(webhook.body, headers);
      return [name];
    } catch {
      return [];
    }
  });
}

/** A workspace of its own for one test, with its first secret. */
async function addSigner(): Promise<{
  workspaceId: string;
  first: string;
  nextWebhook(): Promise<Received>;
}> {
  const { workspaceId } = await addWorkspace(gateway);
  const { secret } = await rotatedOf(await rotate(undefined, { workspace: workspaceId }));
  const caller = createCaller(gateway.origin, (await addKey(gateway, { workspaceId })).token);
  return {
    workspaceId,
    first: secret,
    async nextWebhook() {
      const before = receiver.received.length;
      await submit(caller, { callback_url: receiver.url });
      return (await receiver.next(before + 1))[before]!;
    },
  };
}

async function secretsOf(workspaceId: string): Promise<{ sealed_secret: string; retires_at: Date | null }[]> {
  const { rows } = await gateway.database.query<{ sealed_secret: string; retires_at: Date | null }>(
    `select sealed_secret, retires_at from webhook_secrets where workspace_id = $1
     order by retires_at desc nulls first`,
    [workspaceId],
  );
  return rows;
}

describe('a rotated webhook secret', () => {
  test('signs for a day together with the previous one', async () => {
    const { secret, previous_secret_expires_at } = await rotatedOf(await rotate());
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(secret).not.toBe(gateway.webhookSecret);
    const dayOn = Date.now() + 24 * 3_600_000;
    expect(Math.abs(Date.parse(previous_secret_expires_at!) - dayOn)).toBeLessThan(60_000);

    const before = receiver.received.length;
    await submit(owner, { callback_url: receiver.url });
    const webhook = (await receiver.next(before + 1))[before]!;
    expect(signersOf(webhook, { first: gateway.webhookSecret, second: secret })).toEqual(['first', 'second']);
    // The current one comes first.
    const [current] = String(webhook.headers['webhook-signature']).split(' ');
    const alone = { ...webhook, headers: { ...webhook.headers, 'webhook-signature': current } };
    expect(signersOf(alone, { first: gateway.webhookSecret, second: secret })).toEqual(['second']);
  });

  test('retires the oldest at once when a third is made within the day', async () => {
    const { workspaceId, first, nextWebhook } = await addSigner();
    const { secret: second } = await rotatedOf(await rotate(undefined, { workspace: workspaceId }));
    const { secret: third } = await rotatedOf(await rotate(undefined, { workspace: workspaceId }));
    expect(signersOf(await nextWebhook(), { first, second, third })).toEqual(['second', 'third']);
    expect(await secretsOf(workspaceId)).toHaveLength(2);
  });

  test('signs alone once the day is over', async () => {
    const { workspaceId, first, nextWebhook } = await addSigner();
    const { secret: second } = await rotatedOf(await rotate(undefined, { workspace: workspaceId }));
    await gateway.database.query(
      `update webhook_secrets set retires_at = retires_at - interval '24 hours' where workspace_id = $1`,
      [workspaceId],
    );
    expect(signersOf(await nextWebhook(), { first, second })).toEqual(['second']);
  });
});

describe('the rotation of a webhook secret', () => {
  test('makes the first secret of a workspace', async () => {
    const { workspaceId } = await addWorkspace(gateway);
    const { previous_secret_expires_at } = await rotatedOf(
      await rotate(undefined, { workspace: workspaceId }),
    );
    expect(previous_secret_expires_at).toBeNull();
    expect(await secretsOf(workspaceId)).toHaveLength(1);
  });

  test('leaves one current secret after eight simultaneous rotations', async () => {
    const { workspaceId } = await addWorkspace(gateway);
    const other = createCaller(replica.origin, gateway.managementKey);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        rotate(undefined, { workspace: workspaceId, by: n % 2 === 0 ? manager : other }),
      ),
    );
    const made = await Promise.all(answers.map(rotatedOf));
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(8);
    expect(made.filter(({ previous_secret_expires_at }) => previous_secret_expires_at === null)).toHaveLength(
      1,
    );
    const kept = await secretsOf(workspaceId);
    expect(kept.map(({ retires_at }) => retires_at === null)).toEqual([true, false]);
  });

  test('writes an audit row, and stores the secret nowhere in clear', async () => {
    const { workspaceId, organizationId } = await addWorkspace(gateway);
    const by = {
      call: (method: string, path: string, { headers = {} } = {}) =>
        manager.call(method, path, { headers: { ...headers, 'x-request-id': 'rotation-1' } }),
    };
    const { secret } = await rotatedOf(await rotate('sealed', { workspace: workspaceId, by }));
    expect(await auditRows(gateway, `workspaces/${workspaceId}`)).toEqual([
      {
        organization_id: organizationId,
        key_hash: hashToken(gateway.managementKey),
        action: 'rotateWebhookSecret',
        target: `workspaces/${workspaceId}`,
        request_id: 'rotation-1',
      },
    ]);
    const { rows } = await gateway.database.query(
      `select (select json_agg(s) from webhook_secrets s) secrets, (select json_agg(a) from audit_log a) audit,
              (select json_agg(i) from remembered_answers i) answers`,
    );
    const stored = JSON.stringify(rows);
    expect(stored).toContain('"key":"sealed"');
    expect(stored).not.toContain(secret.slice('whsec_'.length));
  });

  test('answers 403 to a regular key and 404 to another organization', async () => {
    const place = await addOrganization(gateway);
    const { token } = await addKey(gateway, { ...place, kind: 'management' });
    const before = await secretsOf(gateway.workspaceId);
    expect((await rotate(undefined, { by: owner })).status).toBe(403);
    expect((await rotate('theirs', { by: createCaller(gateway.origin, token) })).status).toBe(404);
    expect(await secretsOf(gateway.workspaceId)).toEqual(before);
  });
});

describe('a rotation with an Idempotency-Key', () => {
  let workspace: string;
  beforeEach(async () => {
    workspace = (await addWorkspace(gateway)).workspaceId;
  });

  test('returns the same secret to a retry on every replica, and rotates once', async () => {
    const first = await rotate('again', { workspace });
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    const rotated = await rotatedOf(first);
    for (const by of [manager, createCaller(replica.origin, gateway.managementKey)]) {
      const again = await rotate('again', { workspace, by });
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(await rotatedOf(again)).toEqual(rotated);
    }
    expect(await secretsOf(workspace)).toHaveLength(1);
    expect(await auditRows(gateway, `workspaces/${workspace}`)).toHaveLength(1);
  });

  test('rotates once when ten arrive at once at two replicas', async () => {
    const other = createCaller(replica.origin, gateway.managementKey);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        rotate('at once', { workspace, by: n % 2 === 0 ? manager : other }),
      ),
    );
    const made = await Promise.all(answers.map(rotatedOf));
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(1);
    const fresh = answers.filter(({ headers }) => headers.get('idempotent-replayed') === null);
    expect(fresh).toHaveLength(1);
    expect(await secretsOf(workspace)).toHaveLength(1);
    expect(await auditRows(gateway, `workspaces/${workspace}`)).toHaveLength(1);
  });

  test('makes a separate secret for another workspace', async () => {
    const first = await rotatedOf(await rotate('one place', { workspace }));
    const { workspaceId } = await addWorkspace(gateway);
    const elsewhere = await rotate('one place', { workspace: workspaceId });
    expect(elsewhere.headers.get('idempotent-replayed')).toBeNull();
    expect((await rotatedOf(elsewhere)).secret).not.toBe(first.secret);
    expect(await secretsOf(workspaceId)).toHaveLength(1);
  });

  test('leaves its Idempotency-Key free after a 404', async () => {
    expect((await rotate('nowhere', { workspace: 'no-such' })).status).toBe(404);
    await rotatedOf(await rotate('nowhere', { workspace }));
  });
});
