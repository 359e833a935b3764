import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization, addUser, addWorkspace } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import type { Gateway } from '../support/gateway.ts';
import {
  callerOfIntern,
  internOf,
  makeIntern,
  postIntern,
  readIntern,
  startInternGateway,
} from '../support/interns.ts';

let gateway: Gateway;
let caller: Caller;
let manager: Caller;

beforeAll(async () => {
  gateway = await startInternGateway();
  caller = createCaller(gateway.origin, gateway.apiKey);
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(() => gateway.close());

async function actionsOn(target: string): Promise<string[]> {
  return (await auditRows(gateway, target)).map(({ action }) => action);
}

describe('a change of an intern', () => {
  const patch = (id: string, body: object) => caller.call('PATCH', `/interns/${id}`, { body });

  test('sets what the body names, leaves the rest, and clears what is null', async () => {
    const intern = await makeIntern(caller, { description: 'Old', instructions: 'Old' });
    const model = 'openai/gpt-5.1:free';
    const changed = await internOf(await patch(intern.id, { name: 'New', description: null, model }));
    expect(changed).toEqual({
      ...intern,
      name: 'New',
      description: null,
      model,
      updated_at: changed.updated_at,
    });
    expect(changed.updated_at > intern.updated_at).toBe(true);
    expect(await readIntern(caller, intern.id)).toEqual(changed);
    const cleared = await internOf(await patch(intern.id, { instructions: null, model: null }));
    expect(cleared).toMatchObject({ name: 'New', instructions: null, model: null });
    expect(await actionsOn(`interns/${intern.id}`)).toEqual(['createIntern', 'updateIntern', 'updateIntern']);
  });

  test.each([{}, { nickname: 'x' }])(
    'answers 400 "No update fields provided" to the body %j',
    async (body) => {
      const { id } = await makeIntern(caller);
      const { code, message } = await errorOf(await patch(id, body));
      expect([code, message]).toEqual([400, 'No update fields provided']);
    },
  );

  test.each([
    ['a name that is null', { name: null }, 'body.name'],
    ['an empty name', { name: '' }, 'body.name'],
    ['a model without an author', { model: 'gpt-5.1' }, 'body.model'],
    ['a model with two variants', { model: 'openai/gpt-5.1:free:nitro' }, 'body.model'],
    ['a model with a blank', { model: 'openai/gpt 5' }, 'body.model'],
  ])('answers 400 to %s and names the field', async (_name, body, path) => {
    const { id } = await makeIntern(caller);
    const { code, metadata } = await errorOf(await patch(id, body));
    expect({ code, issues: metadata.issues }).toMatchObject({ code: 400, issues: [{ path }] });
  });

  test('answers 409 to the name of another intern, and frees the previous name', async () => {
    const [one, two] = [await makeIntern(caller), await makeIntern(caller)];
    const { code, metadata } = await errorOf(await patch(two.id, { name: one.name }));
    expect([code, metadata.reason, metadata.retryable]).toEqual([409, 'intern_name_taken', false]);
    expect((await readIntern(caller, two.id)).name).toBe(two.name);
    expect((await patch(one.id, { name: 'Moved on' })).status).toBe(200);
    expect((await patch(two.id, { name: one.name })).status).toBe(200);
    expect((await postIntern(caller, { name: two.name })).status).toBe(201);
  });

  test("accepts the name of another creator's intern", async () => {
    const intern = await makeIntern(caller);
    const creatorUserId = await addUser(gateway, gateway.organizationId);
    const other = createCaller(gateway.origin, (await addKey(gateway, { creatorUserId })).token);
    const { id } = await makeIntern(other);
    expect((await patch(id, { name: intern.name })).status).toBe(200);
  });
});

describe('PUT /interns/{id}/status', () => {
  const report = (id: string, body: object, by = manager) =>
    by.call('PUT', `/interns/${id}/status`, { body });

  test('stores the report, and resets every field that the next report omits', async () => {
    const intern = await makeIntern(caller);
    const progress = { step_label: 'Installing', step_number: 2, total_steps: 5 };
    const state = { status: 'provisioning', progress, hostname: 'h.example', last_failure_message: 'Full' };
    const reported = await internOf(await report(intern.id, state));
    expect(reported).toEqual({ ...intern, ...state, updated_at: reported.updated_at });
    expect(await readIntern(caller, intern.id)).toEqual(reported);
    expect(await internOf(await report(intern.id, { status: 'running', progress: null }))).toMatchObject({
      status: 'running',
      progress: null,
      hostname: null,
      last_failure_message: null,
    });
    expect(await actionsOn(`interns/${intern.id}/status`)).toEqual(['setInternStatus', 'setInternStatus']);
  });

  test.each([
    'awaiting_slack_install',
    'queued',
    'provisioning',
    'running',
    'failed',
    'stopped',
    'destroying',
    'destroy_failed',
  ])('accepts the status %s', async (status) => {
    const { id } = await makeIntern(caller);
    expect(await internOf(await report(id, { status }))).toMatchObject({ status });
  });

  test.each([
    ['no status', { hostname: 'h.example' }, 'body.status'],
    ['another status', { status: 'gone' }, 'body.status'],
    ['half a progress', { status: 'queued', progress: { step_label: 'x' } }, 'body.progress.step_number'],
  ])('answers 400 to %s and names the field', async (_name, body, path) => {
    const { id } = await makeIntern(caller);
    const { code, metadata } = await errorOf(await report(id, body));
    expect(code).toBe(400);
    expect(metadata.issues![0]!.path).toBe(path);
  });

  test('answers 403 to every key but a management key', async () => {
    const { id } = await makeIntern(caller);
    const own = await callerOfIntern(gateway, caller, id);
    for (const by of [caller, own]) {
      const { code, metadata } = await errorOf(await report(id, { status: 'running' }, by));
      expect([code, metadata.reason]).toEqual([403, 'management_key_required']);
    }
    expect((await readIntern(caller, id)).status).toBe('queued');
  });
});

describe('attaching the vault of another intern', () => {
  const attach = (id: string, vaultId: string) =>
    caller.call('PUT', `/interns/${id}/attached-vault`, { body: { vault_id: vaultId } });
  const detach = (id: string) => caller.call('DELETE', `/interns/${id}/attached-vault`);

  test('replaces the vault attached before, and detaching clears it', async () => {
    const intern = await makeIntern(caller);
    const lenders = [await makeIntern(caller), await makeIntern(caller)];
    for (const { vault_id: vaultId } of lenders) {
      const borrower = await internOf(await attach(intern.id, vaultId.toUpperCase()));
      expect(borrower).toEqual({
        ...intern,
        attached_vault_id: vaultId,
        updated_at: borrower.updated_at,
      });
    }
    expect((await internOf(await detach(intern.id))).attached_vault_id).toBeNull();
    expect((await internOf(await detach(intern.id))).attached_vault_id).toBeNull();
    const actions = ['attachVault', 'attachVault', 'detachVault'];
    expect(await actionsOn(`interns/${intern.id}/attached-vault`)).toEqual(actions);
  });

  test("keeps the vault's id after its owner's deletion, until it is detached", async () => {
    const [intern, lender] = [await makeIntern(caller), await makeIntern(caller)];
    await internOf(await attach(intern.id, lender.vault_id));
    expect((await caller.call('DELETE', `/interns/${lender.id}`)).status).toBe(202);
    expect((await readIntern(caller, intern.id)).attached_vault_id).toBe(lender.vault_id);
    expect((await internOf(await detach(intern.id))).attached_vault_id).toBeNull();
  });

  test("answers 400 to the intern's own vault", async () => {
    const intern = await makeIntern(caller);
    const { code, metadata } = await errorOf(await attach(intern.id, intern.vault_id.toUpperCase()));
    expect({ code, issues: metadata.issues }).toMatchObject({
      code: 400,
      issues: [{ path: 'body.vault_id' }],
    });
  });

  test('answers the same 404 to a vault of another workspace and an unknown one', async () => {
    const intern = await makeIntern(caller);
    const elsewhere = createCaller(
      gateway.origin,
      (await addKey(gateway, await addWorkspace(gateway))).token,
    );
    const foreign = await makeIntern(elsewhere);
    const ask = async (id: string) => visibleParts(await attach(intern.id, id));
    const unknown = await ask('4d1f6c55-0a7e-4a5c-9d6e-0a8f5f3f7b21');
    expect(unknown.status).toBe(404);
    for (const id of [foreign.vault_id, intern.id, '']) expect(await ask(id)).toEqual(unknown);
    expect((await readIntern(caller, intern.id)).attached_vault_id).toBeNull();
  });

  test('succeeds while the lender is locked, and the intern by a foreign key', async () => {
    const [intern, lender] = [await makeIntern(caller), await makeIntern(caller)];
    const holder = await gateway.database.connect();
    try {
      // Two interns that borrow from each other at once would otherwise wait for each other.
      await holder.query('begin');
      await holder.query('select from interns where id = $1 for no key update', [lender.id]);
      await holder.query('select from interns where id = $1 for key share', [intern.id]);
      expect((await attach(intern.id, lender.vault_id)).status).toBe(200);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  });
});

describe('the id of an intern', () => {
  test("answers 404 byte for byte as an unknown one outside the key's workspace", async () => {
    const workspace = createCaller(
      gateway.origin,
      (await addKey(gateway, await addWorkspace(gateway))).token,
    );
    const foreign = await addOrganization(gateway);
    await gateway.database.query(`update organizations set entitlements = '{interns}' where id = $1`, [
      foreign.organizationId,
    ]);
    const organization = createCaller(gateway.origin, (await addKey(gateway, foreign)).token);
    const ids = [(await makeIntern(workspace)).id, (await makeIntern(organization)).id, 'no-uuid', '%00'];
    const requests: [method: string, below: string, body?: object][] = [
      ['GET', ''],
      ['PATCH', '', { name: 'x' }],
      ['DELETE', ''],
      ['PUT', '/status', { status: 'running' }],
      ['PUT', '/attached-vault', { vault_id: 'x' }],
      ['DELETE', '/attached-vault'],
      ['POST', '/keys', { name: 'x' }],
      ['GET', '/keys'],
      ['DELETE', `/keys/${'f'.repeat(64)}`],
    ];
    for (const by of [caller, manager]) {
      for (const [method, below, body] of requests) {
        const ask = async (id: string) =>
          visibleParts(await by.call(method, `/interns/${id}${below}`, { body }));
        const unknown = await ask('4d1f6c55-0a7e-4a5c-9d6e-0a8f5f3f7b21');
        expect(unknown.status).toBe(404);
        for (const id of ids) expect(await ask(id)).toEqual(unknown);
      }
    }
  });

  test('matches in any case; an invalid body answers 400 before an unknown id', async () => {
    const intern = await makeIntern(caller);
    expect(await readIntern(caller, intern.id.toUpperCase())).toEqual(intern);
    const unknown = '/interns/4d1f6c55-0a7e-4a5c-9d6e-0a8f5f3f7b21';
    expect((await caller.call('PATCH', unknown, { body: {} })).status).toBe(400);
    expect((await caller.call('PUT', `${unknown}/status`, { body: {} })).status).toBe(400);
  });
});
