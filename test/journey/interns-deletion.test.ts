import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addWorkspace } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import type { Gateway } from '../support/gateway.ts';
import {
  internOf,
  makeIntern,
  makeInternKey,
  postIntern,
  readIntern,
  startInternGateway,
  type WireIntern,
} from '../support/interns.ts';
import { statusesBecome, statusOf } from '../support/keys.ts';
import { type Replica, startReplica } from '../support/replica.ts';
import { makeWorkspace } from '../support/workspaces.ts';

let gateway: Gateway;
let second: Replica;
let caller: Caller;
let manager: Caller;

beforeAll(async () => {
  gateway = await startInternGateway();
  second = await startReplica(gateway);
  caller = createCaller(gateway.origin, gateway.apiKey);
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(async () => {
  await second.close();
  await gateway.close();
});

const remove = (id: string, by = caller): Promise<Response> => by.call('DELETE', `/interns/${id}`);

/** Stores a secret without the way in that the vault has. */
async function addSecret(vaultId: string): Promise<void> {
  await gateway.database.query(
    `insert into vault_secrets (vault_id, name, hosts, sealed_value, version)
     values ($1, 'token', '{h.example}', 'sealed', gen_random_uuid())`,
    [vaultId],
  );
}

async function leftOf(intern: WireIntern): Promise<Record<string, number>> {
  const { rows } = await gateway.database.query<Record<string, number>>(
    `select (select count(*)::int from interns where id = $1) interns,
       (select count(*)::int from vaults where id = $2) vaults,
       (select count(*)::int from vault_secrets where vault_id = $2) secrets,
       (select count(*)::int from api_keys where intern_id = $1 and deleted_at is null and not disabled) keys`,
    [intern.id, intern.vault_id],
  );
  return rows[0]!;
}

async function makeFullIntern(): Promise<{ intern: WireIntern; tokens: string[]; hashes: string[] }> {
  const intern = await makeIntern(caller);
  const keys = [await makeInternKey(caller, intern.id), await makeInternKey(caller, intern.id)];
  await addSecret(intern.vault_id);
  return {
    intern,
    tokens: keys.map(({ token }) => token),
    hashes: keys.map(({ record }) => record.hash),
  };
}

describe('the deletion of an intern', () => {
  test('removes its keys, vault and secrets, and frees its name', async () => {
    const { intern, tokens, hashes } = await makeFullIntern();
    const { id } = intern;
    const answer = await remove(id);
    expect([answer.status, await answer.json()]).toEqual([202, { deleting: true }]);
    expect(await leftOf(intern)).toEqual({ interns: 0, vaults: 0, secrets: 0, keys: 0 });
    expect(await Promise.all(tokens.map((token) => statusOf(gateway, token)))).toEqual([401, 401]);
    expect((await caller.call('GET', `/interns/${id}`)).status).toBe(404);
    expect((await remove(id)).status).toBe(404);
    expect((await internOf(await postIntern(caller, { name: intern.name }), 201)).id).not.toBe(id);
    expect(await auditRows(gateway, `interns/${id}`)).toMatchObject([
      { action: 'createIntern' },
      { action: 'deleteIntern' },
    ]);
    for (const hash of hashes) {
      expect(await auditRows(gateway, `interns/${id}/keys/${hash}`)).toMatchObject([
        { action: 'createInternKey' },
        { action: 'deleteInternKey' },
      ]);
    }
  });

  test('invalidates its keys in this process at once, without a database notification', async () => {
    const { intern, tokens } = await makeFullIntern();
    await statusesBecome(gateway, tokens, 200);
    await gateway.database.query('alter table api_keys disable trigger api_keys_notify_change');
    try {
      expect((await remove(intern.id)).status).toBe(202);
      expect(await Promise.all(tokens.map((token) => statusOf(gateway, token)))).toEqual([401, 401]);
    } finally {
      await gateway.database.query('alter table api_keys enable trigger api_keys_notify_change');
    }
  });

  test('invalidates its keys on another replica', async () => {
    const { intern, tokens } = await makeFullIntern();
    await statusesBecome(second, tokens, 200);
    expect((await remove(intern.id)).status).toBe(202);
    await statusesBecome(second, tokens, 401);
    expect(
      (await createCaller(second.origin, gateway.apiKey).call('GET', `/interns/${intern.id}`)).status,
    ).toBe(404);
  });

  test.each([{ acknowledge_workspace_loss: true }, { acknowledge_workspace_loss: false }, {}, undefined])(
    'accepts the body %j',
    async (body) => {
      const { id } = await makeIntern(caller);
      expect((await caller.call('DELETE', `/interns/${id}`, { body })).status).toBe(202);
    },
  );

  test('answers 400 or 415 to any other body, and keeps the intern', async () => {
    const intern = await makeIntern(caller);
    const headers = { 'content-type': 'text/plain' };
    const statuses = [];
    for (const options of [
      { body: { acknowledge_workspace_loss: 'yes' } },
      { body: '{' },
      { body: '{}', headers },
    ]) {
      statuses.push((await caller.call('DELETE', `/interns/${intern.id}`, options)).status);
    }
    expect(statuses).toEqual([400, 400, 415]);
    expect(await readIntern(caller, intern.id)).toEqual(intern);
  });
});

describe('a deletion that fails midway', () => {
  async function expectAllThere(intern: WireIntern, tokens: string[]): Promise<void> {
    expect(await leftOf(intern)).toEqual({ interns: 1, vaults: 1, secrets: 1, keys: 2 });
    expect(await readIntern(caller, intern.id)).toEqual(intern);
    await statusesBecome(gateway, tokens, 200);
    await statusesBecome(second, tokens, 200);
    expect(await auditRows(gateway, `interns/${intern.id}`)).toHaveLength(1);
    expect((await remove(intern.id)).status).toBe(202);
    expect(await leftOf(intern)).toEqual({ interns: 0, vaults: 0, secrets: 0, keys: 0 });
  }

  test('keeps every row and key when a statement fails', async () => {
    const { intern, tokens } = await makeFullIntern();
    await gateway.database.query(`
      create function fail() returns trigger language plpgsql as $$ begin raise 'in the middle'; end $$;
      create trigger fail before delete on vault_secrets for each row execute function fail()`);
    try {
      expect((await remove(intern.id)).status).toBe(500);
    } finally {
      await gateway.database.query('drop trigger fail on vault_secrets; drop function fail');
    }
    await expectAllThere(intern, tokens);
  });

  test('keeps every row and key when its connection is terminated', async () => {
    const { intern, tokens } = await makeFullIntern();
    const holder = await gateway.database.connect();
    try {
      await holder.query('begin');
      await holder.query('select from vault_secrets where vault_id = $1 for update', [intern.vault_id]);
      const answer = remove(intern.id);
      const pid = await eventually('the deletion that waits', async () => {
        const { rows } = await gateway.database.query<{ pid: number }>(
          `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
             and query like 'delete from interns%'`,
        );
        return rows[0]?.pid;
      });
      await gateway.database.query('select pg_terminate_backend($1)', [pid]);
      expect((await answer).status).toBeGreaterThanOrEqual(500);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    await expectAllThere(intern, tokens);
  });
});

describe("a request at the same time as an intern's deletion", () => {
  test('makes no key that outlives the intern', async () => {
    for (let round = 0; round < 10; round += 1) {
      const intern = await makeIntern(caller);
      const [made, removed] = await Promise.all([
        caller.call('POST', `/interns/${intern.id}/keys`, { body: { name: 'Late' } }),
        remove(intern.id),
      ]);
      expect(removed.status).toBe(202);
      expect([201, 404]).toContain(made.status);
      expect((await leftOf(intern))['keys']).toBe(0);
    }
  });

  test("attaches the intern's vault, or answers 404", async () => {
    for (let round = 0; round < 10; round += 1) {
      const [intern, lender] = [await makeIntern(caller), await makeIntern(caller)];
      const body = { vault_id: lender.vault_id };
      const [attached, removed] = await Promise.all([
        caller.call('PUT', `/interns/${intern.id}/attached-vault`, { body }),
        remove(lender.id),
      ]);
      expect(removed.status).toBe(202);
      expect([200, 404]).toContain(attached.status);
    }
  });
});

describe('a workspace', () => {
  async function newWorkspace(slug: string): Promise<{ id: string; by: Caller; keyHash: string }> {
    const { id } = await makeWorkspace(manager, slug);
    const place = { organizationId: gateway.organizationId, workspaceId: id };
    const { token, hash } = await addKey(gateway, place);
    return { id, by: createCaller(gateway.origin, token), keyHash: hash };
  }

  test('refuses its deletion with 400 until it has no interns', async () => {
    const { id, by, keyHash } = await newWorkspace('with-interns');
    const intern = await makeIntern(by);
    await makeInternKey(by, intern.id);
    const { code, metadata } = await errorOf(await manager.call('DELETE', `/workspaces/${id}`));
    expect([code, metadata.reason]).toEqual([400, 'interns']);
    expect(await readIntern(by, intern.id)).toEqual(intern);
    expect((await remove(intern.id, by)).status).toBe(202);
    await manager.call('DELETE', `/keys/${keyHash}`);
    expect((await manager.call('DELETE', `/workspaces/${id}`)).status).toBe(200);
  });

  test('loses its own vault and its secrets when it is deleted', async () => {
    const { workspaceId: id, organizationId } = await addWorkspace(gateway);
    const vaultId = (
      await gateway.database.query<{ id: string }>(
        `insert into vaults (id, organization_id, workspace_id, sealed_key)
         values (gen_random_uuid(), $1, $2, 'sealed') returning id`,
        [organizationId, id],
      )
    ).rows[0]!.id;
    await addSecret(vaultId);
    expect((await manager.call('DELETE', `/workspaces/${id}`)).status).toBe(200);
    const { rowCount } = await gateway.database.query('select from vaults where id = $1', [vaultId]);
    expect(rowCount).toBe(0);
  });
});
