import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import type { Gateway } from '../support/gateway.ts';
import { type Obstacle, raiseObstacle } from '../support/obstacle.ts';
import { type Replica, useReplica } from '../support/replica.ts';
import {
  namesOf,
  openVaultScene,
  OWN_HOSTS,
  pageOf,
  putSecret,
  type VaultIntern,
  type VaultScene,
} from '../support/vault-scene.ts';
import { fingerprintOf, storedValue } from '../support/vaults.ts';

/** Two APIs on one database: only Postgres keeps writers of a vault apart. */
let gateway: Gateway;
let replica: Replica;
let scene: VaultScene;
let intern: VaultIntern;
let callers: [Caller, Caller];

useReplica((...opened) => ([gateway, replica] = opened));

beforeEach(async () => {
  scene = await openVaultScene(gateway);
  intern = await scene.intern();
  callers = [scene.regular, createCaller(replica.origin, scene.key.token)];
});

const put = (caller: Caller, folder: string, name: string, value = 'x'): Promise<Response> =>
  caller.call('PUT', `${folder}/secrets/${name}`, { body: { value, hosts: OWN_HOSTS } });

async function waiting(count: number): Promise<void> {
  await eventually(`${count} requests that wait`, async () => {
    const { rowCount } = await gateway.database.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rowCount === count ? true : undefined;
  });
}

/** Holds up whoever writes to the table until two do. */
async function atOnce(table: string, requests: readonly (() => Promise<Response>)[]): Promise<Response[]> {
  const obstacle: Obstacle = await raiseObstacle(gateway, gateway.config.database.url);
  await obstacle.table(table);
  const answers = requests.map((request) => request());
  await waiting(requests.length);
  await obstacle.lift();
  return Promise.all(answers);
}

async function fill(vaultId: string, count: number): Promise<void> {
  await gateway.database.query(
    `insert into vault_secrets (vault_id, name, hosts, sealed_value, version)
     select $1, 'filled_' || n, '{a.example}', 'v1.x.y.z', gen_random_uuid() from generate_series(1, $2) n`,
    [vaultId, count],
  );
}

describe('two simultaneous PUTs of a secret', () => {
  test('leave one row with value, hosts and fingerprint of the same PUT', async () => {
    for (let round = 0; round < 5; round += 1) {
      const values = ['first', 'second'];
      const answers = await atOnce(
        'vault_secrets',
        values.map(
          (value, n) => () =>
            callers[n]!.call('PUT', `${intern.folder}/secrets/n${round}`, {
              body: { value, hosts: [`${value}.example`] },
            }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      const { data } = await pageOf(callers[1], `${intern.folder}/secrets?offset=${round}`);
      const value = await storedValue(gateway, intern.vaultId, `n${round}`);
      expect(data).toMatchObject([
        { hosts: [`${value}.example`], fingerprint: await fingerprintOf(gateway, intern.vaultId, value!) },
      ]);
    }
  });

  test('create the vault of a workspace once', async () => {
    const answers = await atOnce('vaults', [
      () => put(callers[0], '/vault', 'a'),
      () => put(callers[1], '/vault', 'b'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await namesOf(callers[1], '/vault/secrets')).toEqual(['a', 'b']);
  });
});

describe('a full vault', () => {
  test('answers 409 to another name, and still replaces and copies existing names', async () => {
    await fill(intern.vaultId, 1_000);
    const { code, metadata } = await errorOf(await put(scene.regular, intern.folder, 'one_more'));
    expect([code, metadata.reason, metadata.retryable]).toEqual([409, 'vault_full', false]);
    expect(metadata.issues).toEqual([
      { path: 'params.name', message: 'the vault holds 1000 secrets at most' },
    ]);
    expect((await put(scene.regular, intern.folder, 'filled_7')).status).toBe(200);
    for (const name of ['filled_8', 'other']) await putSecret(scene.regular, '/vault', name);
    const copy = (...names: string[]) =>
      scene.regular.call('POST', `${intern.folder}/secrets/copy`, { body: { names } });
    expect((await errorOf(await copy('filled_8', 'other'))).metadata.reason).toBe('vault_full');
    expect((await copy('filled_8')).status).toBe(200);
    await scene.regular.call('DELETE', `${intern.folder}/secrets/filled_9`);
    expect((await put(scene.regular, intern.folder, 'one_more')).status).toBe(200);
  });

  test('holds exactly 1,000 secrets when two processes fill it at once', async () => {
    await putSecret(scene.regular, '/vault', 'first');
    const { rows } = await gateway.database.query<{ id: string }>(
      'select id from vaults where workspace_id = $1 and intern_id is null',
      [scene.workspaceId],
    );
    await fill(rows[0]!.id, 996);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => put(callers[n % 2]!, '/vault', `late_${n}`)),
    );
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([200, 200, 200, ...Array.from({ length: 9 }, () => 409)]);
    const names: string[] = [];
    for (let offset = 0; offset <= 1_000; offset += 100) {
      names.push(...(await namesOf(callers[1], `/vault/secrets?offset=${offset}`)));
    }
    expect(new Set(names).size).toBe(1_000);
    expect(names).toHaveLength(1_000);
  });
});

describe('the deletion of an intern during a PUT of a secret', () => {
  test('leaves no secret, whichever comes first', async () => {
    const [deletion, stored] = await atOnce('vault_secrets', [
      () => put(callers[0], intern.folder, 'a'),
      () => callers[1].call('DELETE', `/interns/${intern.id}`),
    ]).then(([a, b]) => [b!, a!]);
    expect([deletion!.status, [200, 404].includes(stored!.status)]).toEqual([202, true]);
    const { rowCount } = await gateway.database.query('select from vault_secrets where vault_id = $1', [
      intern.vaultId,
    ]);
    expect(rowCount).toBe(0);
    expect((await put(callers[0], intern.folder, 'a')).status).toBe(404);
    expect((await callers[1].call('GET', `${intern.folder}/secrets`)).status).toBe(404);
  });
});

describe('the deletion of a secret during a PUT of its name', () => {
  test('answers 204 and leaves at most one secret, whichever comes first', async () => {
    await putSecret(scene.regular, '/vault', 'a');
    const [stored, deletion] = await atOnce('vault_secrets', [
      () => put(callers[0], '/vault', 'a'),
      () => callers[1].call('DELETE', '/vault/secrets/a'),
    ]);
    expect([stored!.status, deletion!.status]).toEqual([200, 204]);
    expect((await namesOf(callers[0], '/vault/secrets')).length).toBeLessThanOrEqual(1);
  });
});
