import type { Handle } from '../../../db/connection.ts';
import { createDaemonKeyStore, type DaemonKeyRecord } from '../../../db/interns/daemon-key-store.ts';
import { daemonKeyStates, ROTATION_DELAY_MS, usableDaemonKeys } from '../../../domain/interns/daemon-key.ts';
import type { Encryption } from '../../../platform/encryption.ts';
import { newDaemonKey } from './new-daemon-key.ts';

export interface DaemonKeyDeps {
  knex: Handle;
  encryption: Pick<Encryption, 'seal'>;
}

/** Returns all keys, and makes the first one. Processes that do so at once make one key. */
export function ensureDaemonKeys({ knex, encryption }: DaemonKeyDeps): Promise<DaemonKeyRecord[]> {
  return knex.transaction(async (transaction) => {
    const store = createDaemonKeyStore(transaction);
    await store.lock();
    if ((await store.list()).length === 0) await store.insert(newDaemonKey(encryption), 0);
    return store.list();
  });
}

export interface RotateOptions {
  /** The keys that there are have leaked: they are withdrawn, and the new one signs at once. */
  haveLeaked: boolean;
}

/**
 * Publishes a new key, and lets it sign once verifiers have had the time to read it; the one before it stays published for
 * a day more. Keys whose time is over are deleted. Returns the id of the new key. The handle must be a transaction.
 */
export async function rotateDaemonKeys(
  { knex: transaction, encryption }: DaemonKeyDeps,
  { haveLeaked }: RotateOptions,
): Promise<string> {
  const store = createDaemonKeyStore(transaction);
  await store.lock();
  const keys = await store.list();
  const usable = usableDaemonKeys(keys);
  const states = daemonKeyStates(usable, Date.now());
  const kept = new Set(usable.filter((_, place) => states[place]?.kind !== 'gone').map(({ kid }) => kid));
  await store.remove(keys.map(({ kid }) => kid).filter((kid) => !kept.has(kid)));
  if (haveLeaked) await store.withdrawAll();
  const key = newDaemonKey(encryption);
  await store.insert(key, haveLeaked || kept.size === 0 ? 0 : ROTATION_DELAY_MS);
  return key.kid;
}
