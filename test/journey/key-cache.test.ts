import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, type IssuedKey, setKeyDisabled } from '../support/accounts.ts';
import { createCaller } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type Replica, startDeafReplica, startReplica } from '../support/replica.ts';
import { withMoreTime } from '../support/with-more-time.ts';

let gateway: Gateway;
let second: Replica;
let deaf: Replica;

beforeAll(async () => {
  gateway = await startGateway();
  second = await startReplica(gateway);
  deaf = await startDeafReplica(gateway);
  await listeners(2);
});

afterAll(async () => {
  await deaf.close();
  await second.close();
  await gateway.close();
});

/** An operation that is answered from memory, once the key is known. */
async function statusAt(origin: string, { token }: IssuedKey): Promise<number> {
  return (await createCaller(origin, token).call('GET', '/videos/models')).status;
}

/** An entry of which nothing is told lives for 30 s; what takes as long was not told. */
const PATIENCE_MS = 15_000;

function everywhere(key: IssuedKey, status: number): Promise<true> {
  const look = async (): Promise<true | undefined> => {
    const origins = [gateway.origin, second.origin, deaf.origin];
    const statuses = await Promise.all(origins.map((origin) => statusAt(origin, key)));
    return statuses.every((seen) => seen === status) ? true : undefined;
  };
  return eventually(`${status} on every replica`, look, PATIENCE_MS);
}

/** Waits until that many connections listen; the deaf replica has none. */
function listeners(count: number): Promise<number[]> {
  return eventually(`${count} listeners`, async () => {
    const { rows } = await gateway.database.query<{ pid: number }>(
      `select pid from pg_stat_activity
       where application_name = 'sluice-listener' and datname = current_database() and query like 'listen%'`,
    );
    return rows.length === count ? rows.map(({ pid }) => pid) : undefined;
  });
}

describe('a key in the cache of a replica', () => {
  test('gets 200 without a read of the database', async () => {
    const [known, stranger] = [await addKey(gateway), await addKey(gateway)];
    expect(await statusAt(gateway.origin, known)).toBe(200);
    // Whoever reads the keys now fails.
    await gateway.database.query('alter table api_keys rename to api_keys_away');
    try {
      expect(await statusAt(gateway.origin, known)).toBe(200);
      expect(await statusAt(gateway.origin, stranger)).toBe(500);
    } finally {
      await gateway.database.query('alter table api_keys_away rename to api_keys');
    }
    expect(await statusAt(gateway.origin, stranger)).toBe(200);
  });

  test('gets 401 on every replica once disabled, and 200 once enabled', async () => {
    const key = await addKey(gateway);
    await everywhere(key, 200);
    await setKeyDisabled(gateway, key.hash, true);
    await everywhere(key, 401);
    await setKeyDisabled(gateway, key.hash, false);
    await everywhere(key, 200);
  });

  test('gets 401 on every replica after its deletion', async () => {
    const key = await addKey(gateway);
    await everywhere(key, 200);
    const manager = createCaller(gateway.origin, gateway.managementKey);
    expect((await manager.call('DELETE', `/keys/${key.hash}`)).status).toBe(200);
    await everywhere(key, 401);
  });

  test('gets 401 after its expiry, although its cache entry is fresh', async () => {
    const key = await withMoreTime(1_500, async (timeMs) => {
      const expiring = await addKey(gateway, { expiresAt: new Date(Date.now() + timeMs) });
      return (await statusAt(gateway.origin, expiring)) === 200 ? expiring : undefined;
    });
    await everywhere(key, 401);
  });

  test('gets 401 although it was disabled while no listener was connected', async () => {
    const key = await addKey(gateway);
    await everywhere(key, 200);
    const pids = await listeners(2);
    await gateway.database.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [pids]);
    await setKeyDisabled(gateway, key.hash, true);
    await everywhere(key, 401);
    // The connections came back, and with them the notices.
    await listeners(2);
    await setKeyDisabled(gateway, key.hash, false);
    await everywhere(key, 200);
    await setKeyDisabled(gateway, key.hash, true);
    await everywhere(key, 401);
  });
});
