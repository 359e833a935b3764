import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createLogger } from '../../platform/logger.ts';
import { addKey, addOrganization } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import {
  deleteByokKey,
  getByokKey,
  listByokKeys,
  makeByokKey,
  patchByokKey,
  postByokKey,
  updateByokKey,
} from '../support/byok.ts';
import { type Caller, createCaller, visibleParts } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { tableTexts } from '../support/leaks.ts';
import { makeWorkspace } from '../support/workspaces.ts';

const SECRETS = ['planted-secret-5310-end', 'planted-secret-8861-end', 'planted secret 2207 end'];

let gateway: Gateway;
let manager: Caller;
let stranger: Caller;
const logged: string[] = [];

beforeAll(async () => {
  const destination = { write: (line: string) => void logged.push(line) };
  const logger = createLogger({ level: 'trace', name: 'test', destination });
  gateway = await startGateway({ logger });
  manager = createCaller(gateway.origin, gateway.managementKey);
  const { token } = await addKey(gateway, { ...(await addOrganization(gateway)), kind: 'management' });
  stranger = createCaller(gateway.origin, token);
});

afterAll(() => gateway.close());

const leaks = (text: string): string[] =>
  SECRETS.filter((secret) =>
    [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64').slice(0, -3)].some(
      (form) => text.includes(form),
    ),
  );

test("another organization's BYOK key answers like an unknown one and stays unchanged", async () => {
  const made = await makeByokKey(manager, { workspace_id: null });
  const ask = async (method: string, id: string, body?: object) =>
    visibleParts(await stranger.call(method, `/byok/${id}`, { body }));
  for (const [method, body] of [['GET'], ['PATCH', { name: 'Mine' }], ['DELETE']] as [string, object?][]) {
    const missing = await ask(method, crypto.randomUUID(), body);
    expect(missing.status).toBe(404);
    expect(await ask(method, made.id, body)).toEqual(missing);
    expect(await ask(method, 'no-uuid', body)).toEqual(missing);
  }
  expect((await listByokKeys(stranger)).data).toEqual([]);
  expect(await getByokKey(manager, made.id)).toEqual(made);
  expect((await auditRows(gateway, `byok/${made.id}`)).map(({ action }) => action)).toEqual([
    'createByokKey',
  ]);
});

test('the BYOK routes answer 403 to a regular key', async () => {
  const { id } = await makeByokKey(manager);
  for (const [method, path, body] of [
    ['GET', '/byok'],
    ['POST', '/byok', { provider: 'openai', key: 'k' }],
    ['GET', `/byok/${id}`],
    ['PATCH', `/byok/${id}`, { name: 'Mine' }],
    ['DELETE', `/byok/${id}`],
  ] as [string, string, object?][]) {
    expect((await gateway.call(method, path, { body })).status).toBe(403);
  }
});

test('a key with an unreadable secret can be listed, read, updated and deleted', async () => {
  const { id } = await makeByokKey(manager, { name: 'Broken' });
  const { rowCount } = await gateway.database.query(
    `update byok_credentials set sealed = 'garbage' where id = $1`,
    [id],
  );
  expect(rowCount).toBe(1);
  expect((await listByokKeys(manager)).data.map((key) => key.id)).toContain(id);
  expect(await getByokKey(manager, id)).toMatchObject({ name: 'Broken', label: 'sk-f...last' });
  expect(await updateByokKey(manager, id, { name: 'Still broken' })).toMatchObject({ name: 'Still broken' });
  expect((await deleteByokKey(manager, id)).status).toBe(200);
});

describe('a deleted workspace', () => {
  test('loses its keys and leaves those of the organization', async () => {
    const { id: place } = await makeWorkspace(manager, 'with-keys');
    const made = await makeByokKey(manager, { workspace_id: place });
    const wide = await makeByokKey(manager, { workspace_id: null });
    expect((await manager.call('DELETE', `/workspaces/${place}`)).status).toBe(200);
    const { rowCount } = await gateway.database.query('select from byok_credentials where id = $1', [
      made.id,
    ]);
    expect(rowCount).toBe(0);
    expect((await auditRows(gateway, `byok/${made.id}`)).at(-1)).toMatchObject({ action: 'deleteByokKey' });
    expect(await getByokKey(manager, wide.id)).toEqual(wide);
    expect((await postByokKey(manager, { workspace_id: place })).status).toBe(400);
  });

  test('keeps no key that is created during the deletion', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id: place } = await makeWorkspace(manager, `racing-${round}`);
      const [, deleted] = await Promise.all([
        postByokKey(manager, { workspace_id: place }),
        manager.call('DELETE', `/workspaces/${place}`),
      ]);
      expect(deleted.status).toBe(200);
      const { rowCount } = await gateway.database.query(
        'select from byok_credentials where workspace_id = $1',
        [place],
      );
      expect(rowCount).toBe(0);
    }
  });
});

describe('a BYOK secret', () => {
  const answers: string[] = [];
  const keep = async (response: Response): Promise<string> => {
    answers.push(await response.clone().text());
    return ((await response.json()) as { data?: { id: string } }).data?.id ?? '';
  };

  beforeAll(async () => {
    const [first, second, refused] = SECRETS;
    const headers = { 'idempotency-key': 'planted' };
    const id = await keep(await postByokKey(manager, { key: first }, headers));
    await keep(await postByokKey(manager, { key: first }, headers));
    await keep(await patchByokKey(manager, id, { key: second }));
    await keep(await patchByokKey(manager, id, { key: refused }));
    await keep(await postByokKey(manager, { key: refused, provider: 'nobody' }));
    await keep(await manager.call('POST', '/byok', { body: `{"key":"${first}",` }));
    for (const path of [`/byok/${id}`, '/byok', '/audit-log']) await keep(await manager.call('GET', path));
  });

  test('never appears in a response', () => {
    expect(answers).toHaveLength(9);
    expect(answers.filter((text) => text.includes('plan...-end'))).not.toEqual([]);
    expect(answers.filter((text) => leaks(text).length > 0)).toEqual([]);
  });

  test('never appears in the log at any level', () => {
    expect(logged.join('')).toContain('/byok');
    expect(logged.filter((line) => leaks(line).length > 0)).toEqual([]);
  });

  test('never appears in a table, including stored responses and audit entries', async () => {
    const texts = await tableTexts(gateway);
    expect(texts.get('remembered_answers')).toContain('createByokKey');
    expect(texts.get('audit_log')).toContain('updateByokKey');
    expect([...texts].filter(([, text]) => leaks(text).length > 0).map(([name]) => name)).toEqual([]);
  });
});
