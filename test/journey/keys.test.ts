import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization, type Place } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { keyOf, listKeys, makeKey, patchKey, postKey, readKey, statusOf } from '../support/keys.ts';
import { CLOSED_PORT, type Replica, startReplica } from '../support/replica.ts';

let gateway: Gateway;
let deaf: Replica;
let manager: Caller;
let foreigner: Caller;
let foreign: Place;

beforeAll(async () => {
  gateway = await startGateway();
  // Hears of nothing that others change, so what it knows at once it knows from itself.
  deaf = await startReplica(gateway, ({ database }) => ({
    database: { ...database, listenUrl: `postgres://nobody@${CLOSED_PORT}/none` },
  }));
  manager = createCaller(gateway.origin, gateway.managementKey);
  foreign = await addOrganization(gateway);
  const { token } = await addKey(gateway, { ...foreign, kind: 'management' });
  foreigner = createCaller(gateway.origin, token);
});

afterAll(async () => {
  await deaf.close();
  await gateway.close();
});

const UNKNOWN = 'f'.repeat(64);

describe('PATCH /keys/{hash}', () => {
  test('changes the named fields, ignores unknown ones, and clears limits by null', async () => {
    const { record } = await makeKey(manager, { limit: 5, limit_reset: 'daily' });
    const renamed = await keyOf(await patchKey(manager, record.hash, { name: 'New', hash: 'x', color: 1 }));
    expect(renamed).toEqual({ ...record, name: 'New', updated_at: expect.stringMatching(/Z$/) });
    const all = { disabled: true, limit: 0.000000001, limit_reset: 'monthly', include_byok_in_limit: true };
    expect(await keyOf(await patchKey(manager, record.hash, all))).toMatchObject({
      ...all,
      name: 'New',
      limit_remaining: 0.000000001,
    });
    const none = { limit: null, limit_reset: null };
    const cleared = await keyOf(await patchKey(manager, record.hash, none));
    expect(cleared).toMatchObject({ ...none, limit_remaining: null, disabled: true });
    expect(await readKey(manager, record.hash)).toEqual(cleared);
  });

  test.each<[string, unknown]>([
    ['none', undefined],
    ['an empty one', {}],
    ['one of unknown fields', { color: 'red', expires_at: null, external: { user: 'x' } }],
  ])('answers 400 no_update_fields to a body without known fields: %s', async (_what, body) => {
    const { record } = await makeKey(manager);
    expect(await errorOf(await patchKey(manager, record.hash, body))).toEqual({
      code: 400,
      message: 'No update fields provided',
      metadata: { reason: 'no_update_fields', retryable: false },
    });
    expect(await readKey(manager, record.hash)).toEqual(record);
  });

  test.each<[string, unknown]>([
    ['a name of nothing', { name: '' }],
    ['a name of whitespace', { name: ' \u0085' }],
    ['no name', { name: null }],
    ['a flag in words', { disabled: 'true' }],
    ['a negative limit', { limit: -1 }],
    ['a wrong field beside a right one', { name: 'x', limit_reset: 'never' }],
    ['a list', []],
    ['nothing', null],
  ])('answers 400 to %s, and changes nothing', async (_what, body) => {
    const { record } = await makeKey(manager);
    const error = await errorOf(await patchKey(manager, record.hash, body));
    expect([error.code, error.message]).toEqual([400, 'Invalid request parameters']);
    expect(await readKey(manager, record.hash)).toEqual(record);
  });

  test('disables and enables the key at once', async () => {
    const { record, token } = await makeKey(manager);
    const by = createCaller(deaf.origin, gateway.managementKey);
    for (const [disabled, status] of [
      [false, 200],
      [true, 401],
      [false, 200],
    ] as const) {
      await keyOf(await patchKey(by, record.hash, { disabled }));
      expect(await statusOf(deaf, token)).toBe(status);
    }
  });
});

describe('a deleted key', () => {
  test('gets 401 at once, and its hash answers 404 on every operation', async () => {
    const { record, token } = await makeKey(manager);
    expect(await statusOf(deaf, token)).toBe(200);
    const by = createCaller(deaf.origin, gateway.managementKey);
    const answer = await by.call('DELETE', `/keys/${record.hash}`);
    expect(await answer.json()).toEqual({ deleted: true });
    expect(await statusOf(deaf, token)).toBe(401);
    // Nor does it come back when somebody enables the row.
    await gateway.database.query('update api_keys set disabled = false where hash = $1', [record.hash]);
    expect(await statusOf(gateway, token)).toBe(401);
    const unknown = await visibleParts(await manager.call('GET', `/keys/${UNKNOWN}`));
    for (const [method, body] of [['GET'], ['PATCH', { disabled: false }], ['DELETE']] as const) {
      const parts = await visibleParts(await manager.call(method, `/keys/${record.hash}`, { body }));
      expect(parts).toEqual(unknown);
    }
    const shown = await listKeys(manager, '?include_disabled=true&include_expired=true');
    expect(shown.map(({ hash }) => hash)).not.toContain(record.hash);
  });
});

describe('/keys/{hash} with a foreign, management or malformed hash', () => {
  test('answers the same 404 on every operation', async () => {
    const theirs = await addKey(gateway, foreign);
    const management = await addKey(gateway, { kind: 'management' });
    const mine = (await makeKey(manager)).record.hash;
    const hashes = [theirs.hash, management.hash, mine.toUpperCase(), 'x', '%00', '..%2Fkey', UNKNOWN];
    for (const [method, body] of [['GET'], ['PATCH', { disabled: true }], ['DELETE']] as const) {
      const seen = new Set<string>();
      for (const hash of hashes) {
        const parts = await visibleParts(await manager.call(method, `/keys/${hash}`, { body }));
        expect(parts.status).toBe(404);
        seen.add(JSON.stringify(parts));
      }
      expect(seen.size).toBe(1);
    }
    expect(await statusOf(gateway, theirs.token)).toBe(200);
    expect(await statusOf(gateway, management.token)).toBe(200);
  });

  test('answers 403 to a regular key, on every operation', async () => {
    const caller = createCaller(gateway.origin, (await makeKey(manager)).token);
    for (const [method, path] of [
      ['GET', '/keys'],
      ['POST', '/keys'],
      ['GET', `/keys/${UNKNOWN}`],
      ['PATCH', `/keys/${UNKNOWN}`],
      ['DELETE', `/keys/${UNKNOWN}`],
    ] as const) {
      expect(await errorOf(await caller.call(method, path))).toMatchObject({
        code: 403,
        message: 'Only management keys can perform this operation',
      });
    }
  });
});

describe('the audit log', () => {
  test('gets a row for each change of a key, and none for refused requests', async () => {
    const { record } = await makeKey(manager);
    await patchKey(manager, record.hash, { name: 'x' });
    await patchKey(manager, record.hash, {});
    await patchKey(manager, record.hash, { workspace_id: record.workspace_id });
    await patchKey(manager, record.hash, { workspace_id: crypto.randomUUID() });
    await foreigner.call('DELETE', `/keys/${record.hash}`);
    await manager.call('DELETE', `/keys/${record.hash}`);
    await manager.call('DELETE', `/keys/${record.hash}`);
    const rows = await auditRows(gateway, `keys/${record.hash}`);
    expect(rows.map(({ action }) => action)).toEqual(['createKey', 'updateKey', 'deleteKey']);
  });

  test('rolls the change back when its row cannot be written', async () => {
    const { record, token } = await makeKey(manager);
    await gateway.database.query('alter table audit_log rename to audit_log_away');
    try {
      expect((await postKey(manager, { name: 'Unseen' })).status).toBe(500);
      expect((await patchKey(manager, record.hash, { disabled: true })).status).toBe(500);
      expect((await manager.call('DELETE', `/keys/${record.hash}`)).status).toBe(500);
    } finally {
      await gateway.database.query('alter table audit_log_away rename to audit_log');
    }
    expect(await readKey(manager, record.hash)).toMatchObject({ disabled: false, updated_at: null });
    expect(await statusOf(gateway, token)).toBe(200);
    expect((await listKeys(manager)).map(({ name }) => name)).not.toContain('Unseen');
  });
});
