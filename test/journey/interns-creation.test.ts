import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization, addUser, addWorkspace, type Place } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import type { Gateway } from '../support/gateway.ts';
import {
  internOf,
  listInterns,
  makeIntern,
  postIntern,
  readIntern,
  startInternGateway,
  type WireIntern,
} from '../support/interns.ts';

let gateway: Gateway;
let caller: Caller;

beforeAll(async () => {
  gateway = await startInternGateway();
  caller = createCaller(gateway.origin, gateway.apiKey);
});

afterAll(() => gateway.close());

async function callerIn(place: Partial<Place> & { creatorUserId?: string } = {}): Promise<Caller> {
  return createCaller(gateway.origin, (await addKey(gateway, place)).token);
}

async function countInterns(name: string): Promise<number> {
  const { rows } = await gateway.database.query('select id from interns where name = $1', [name]);
  return rows.length;
}

describe('creating an intern', () => {
  test('answers with the whole record, and makes its vault', async () => {
    const body = { name: 'Release notes', description: 'Writes', instructions: 'Be brief', provision: false };
    const intern = await makeIntern(caller, body);
    expect(intern).toEqual({
      id: expect.any(String),
      name: 'Release notes',
      description: 'Writes',
      instructions: 'Be brief',
      model: null,
      status: 'queued',
      progress: null,
      hostname: null,
      last_failure_message: null,
      vault_id: expect.any(String),
      attached_vault_id: null,
      workspace_id: gateway.workspaceId,
      created_at: intern.updated_at,
      updated_at: intern.created_at,
    });
    expect(await readIntern(caller, intern.id)).toEqual(intern);
    const { rows } = await gateway.database.query<{ intern_id: string; sealed_key: string }>(
      'select intern_id, sealed_key from vaults where id = $1',
      [intern.vault_id],
    );
    expect(rows).toEqual([{ intern_id: intern.id, sealed_key: expect.stringMatching(/^v1\./) }]);
    expect(await auditRows(gateway, `interns/${intern.id}`)).toMatchObject([{ action: 'createIntern' }]);
  });

  test('answers 200 with the current intern when its creator repeats the request', async () => {
    const body = { name: 'Repeated', description: null };
    const intern = await makeIntern(caller, body);
    await caller.call('PATCH', `/interns/${intern.id}`, { body: { model: 'openai/gpt-5.1' } });
    const again = await internOf(await postIntern(caller, { name: 'Repeated', provision: false }));
    expect(again).toEqual({ ...intern, model: 'openai/gpt-5.1', updated_at: again.updated_at });
    expect(await auditRows(gateway, `interns/${intern.id}`)).toHaveLength(2);
  });

  test('answers 409 intern_name_taken to the same name with other fields', async () => {
    await makeIntern(caller, { name: 'Taken' });
    const { code, metadata } = await errorOf(await postIntern(caller, { name: 'Taken', description: 'x' }));
    expect({ code, metadata }).toEqual({
      code: 409,
      metadata: {
        reason: 'intern_name_taken',
        retryable: false,
        issues: [{ path: 'body.name', message: 'is the name of another intern of the same creator' }],
      },
    });
    expect(await countInterns('Taken')).toBe(1);
  });

  test('makes one intern for three identical requests at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const name = `Twins ${round}`;
      const answers = await Promise.all([1, 2, 3].map(() => postIntern(caller, { name })));
      expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '200', '201']);
      const interns = await Promise.all(answers.map((answer) => answer.json() as Promise<WireIntern>));
      expect(new Set(interns.map(({ id }) => id)).size).toBe(1);
      expect(await countInterns(name)).toBe(1);
    }
  });

  test("distinguishes creators by the key's user, or by the key if it has none", async () => {
    const creatorUserId = await addUser(gateway, gateway.organizationId);
    const [one, two] = [await callerIn({ creatorUserId }), await callerIn({ creatorUserId })];
    const nobody = await callerIn();
    const intern = await makeIntern(one, { name: 'Of a user' });
    expect((await internOf(await postIntern(two, { name: 'Of a user' }))).id).toBe(intern.id);
    expect((await makeIntern(nobody, { name: 'Of a user' })).id).not.toBe(intern.id);
  });

  test.each([
    ['an empty name', { name: '' }, 'body.name'],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, 'body.name'],
    ['a name that is no text', { name: 7 }, 'body.name'],
    ['a description of 2,001 characters', { description: 'x'.repeat(2_001) }, 'body.description'],
    ['instructions of 32,001 characters', { instructions: 'x'.repeat(32_001) }, 'body.instructions'],
    ['an intern that the gateway should host', { provision: true }, 'body.provision'],
    ['a workspace that is no text', { workspace_id: 7 }, 'body.workspace_id'],
  ])('answers 400 to %s and names the field', async (_name, body, path) => {
    const { code, metadata } = await errorOf(await postIntern(caller, body));
    expect(code).toBe(400);
    expect(metadata.issues).toMatchObject([{ path }]);
  });

  test('accepts names and texts of the greatest length', async () => {
    const body = {
      name: '🙂'.repeat(255),
      description: '🙂'.repeat(2_000),
      instructions: '🙂'.repeat(32_000),
    };
    expect(await makeIntern(caller, body)).toMatchObject(body);
  });

  test('uses the workspace of the key, and answers the same 404 to any other', async () => {
    const { workspaceId } = gateway;
    const workspace = await addWorkspace(gateway);
    const foreign = await addOrganization(gateway);
    const named = await makeIntern(caller, { workspace_id: workspaceId.toUpperCase() });
    expect(named.workspace_id).toBe(workspaceId);
    const ask = async (id: string) => visibleParts(await postIntern(caller, { workspace_id: id }));
    const unknown = await ask('4d1f6c55-0a7e-4a5c-9d6e-0a8f5f3f7b21');
    expect(unknown.status).toBe(404);
    for (const id of [workspace.workspaceId, foreign.workspaceId, 'no-uuid']) {
      expect(await ask(id)).toEqual(unknown);
    }
    const elsewhere = await callerIn(workspace);
    expect((await makeIntern(elsewhere, { name: named.name })).workspace_id).toBe(workspace.workspaceId);
  });
});

test('provisioning, suspending and asking an intern answer 404', async () => {
  const { id } = await makeIntern(caller);
  const hosting: [path: string, body?: object][] = [
    ['/provision'],
    ['/suspend'],
    ['/chat/completions', { messages: [{ role: 'user', content: 'Hello' }], stream: true }],
  ];
  for (const [path, body] of hosting) {
    expect((await caller.call('POST', `/interns/${id}${path}`, { body })).status).toBe(404);
  }
});

describe('an Idempotency-Key', () => {
  const post = (key: string, body: object) => postIntern(caller, body, { 'idempotency-key': key });

  test('replays the first answer, and makes no second intern', async () => {
    const first = await post('first', { name: 'Once' });
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null]);
    const replay = await post('first', { name: 'Once' });
    expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(await replay.json()).toEqual(await first.json());
    expect(await countInterns('Once')).toBe(1);
  });

  test('refuses another request with 422', async () => {
    expect((await post('reused', { name: 'Reused' })).status).toBe(201);
    expect((await errorOf(await post('reused', { name: 'Other' }))).code).toBe(422);
  });

  test('refuses the same request of another creator with 422', async () => {
    expect((await post('shared', { name: 'Shared' })).status).toBe(201);
    const stranger = await callerIn();
    const response = await postIntern(stranger, { name: 'Shared' }, { 'idempotency-key': 'shared' });
    const { code, metadata } = await errorOf(response);
    expect([code, metadata.reason]).toEqual([422, 'idempotency_key_reused']);
    expect(await countInterns('Shared')).toBe(1);
  });

  test('replays nothing of another key: a taken name answers 409', async () => {
    expect((await post('one', { name: 'Keyed' })).status).toBe(201);
    const { code, metadata } = await errorOf(await post('two', { name: 'Keyed' }));
    expect([code, metadata.reason]).toEqual([409, 'intern_name_taken']);
  });

  test('makes one intern for two identical requests at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const name = `Keyed twins ${round}`;
      const answers = await Promise.all([1, 2].map(() => post(name, { name })));
      expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '201']);
      expect(await countInterns(name)).toBe(1);
    }
  });
});

describe('a borrowed vault', () => {
  test('attaches to the new intern, which has a vault of its own', async () => {
    const lender = await makeIntern(caller);
    const borrower = await makeIntern(caller, { vault_id: lender.vault_id.toUpperCase() });
    expect(borrower.attached_vault_id).toBe(lender.vault_id);
    expect(borrower.vault_id).not.toBe(lender.vault_id);
  });

  test('answers the same 404 outside the workspace, and no intern is made', async () => {
    const foreign = await makeIntern(await callerIn(await addWorkspace(gateway)));
    const { data: before } = await listInterns(caller, '?limit=500');
    const ask = async (id: string) => visibleParts(await postIntern(caller, { vault_id: id }));
    const unknown = await ask('4d1f6c55-0a7e-4a5c-9d6e-0a8f5f3f7b21');
    expect(unknown.status).toBe(404);
    expect(JSON.parse(unknown.body)).toMatchObject({
      error: { metadata: { issues: [{ path: 'body.vault_id' }] } },
    });
    for (const id of [foreign.vault_id, foreign.id, 'no-uuid']) expect(await ask(id)).toEqual(unknown);
    expect((await listInterns(caller, '?limit=500')).data).toEqual(before);
  });

  test("lets a repeated request find its intern after the vault's deletion", async () => {
    const lender = await makeIntern(caller);
    const body = { name: 'Orphan', vault_id: lender.vault_id };
    const borrower = await makeIntern(caller, body);
    expect((await caller.call('DELETE', `/interns/${lender.id}`)).status).toBe(202);
    expect(await internOf(await postIntern(caller, body))).toEqual(borrower);
  });
});
