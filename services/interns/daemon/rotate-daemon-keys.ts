/** Creates and rotates the keys that sign messages to the daemons of interns. */
import { createHash, generateKeyPairSync } from 'node:crypto';
import type { Handle } from '../../../db/postgres/connection.ts';
import {
  createDaemonKeyStore,
  type DaemonKeyRecord,
  type NewDaemonKey,
} from '../../../db/interns/daemon-key-store.ts';
import {
  daemonKeyContext,
  daemonKeyStates,
  ROTATION_DELAY_MS,
  usableDaemonKeys,
} from '../../../domain/interns/daemon-key.ts';
import type { Encryption } from '../../../platform/encryption.ts';

export interface DaemonKeyDeps {
  knex: Handle;
  encryption: Pick<Encryption, 'seal'>;
}

/** Returns all keys, and creates the first one. Concurrent processes create only one key. */
export function ensureDaemonKeys({ knex, encryption }: DaemonKeyDeps): Promise<DaemonKeyRecord[]> {
  return knex.transaction(async (transaction) => {
    const store = createDaemonKeyStore(transaction);
    await store.lock();
    if ((await store.list()).length === 0) await store.insert(newDaemonKey(encryption), 0);
    return store.list();
  });
}

export interface RotateOptions {
  /** True when the existing keys have leaked: they are withdrawn, and the new one signs at once. */
  haveLeaked: boolean;
}

/**
 * Publishes a new key, which signs once verifiers have had time to read it. The previous one stays published for
 * another day, and expired keys are deleted. Returns the id of the new key. The handle must be a transaction.
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

/** Creates an Ed25519 key pair with an encrypted private key. */
function newDaemonKey(encryption: Pick<Encryption, 'seal'>): NewDaemonKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const kid = thumbprintOf(x);
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' });
  return { kid, publicKey: x, sealedPrivateKey: encryption.seal(secret, daemonKeyContext(kid)) };
}

/** Hashes the required members of the JWK in the order of their names, by RFC 7638. */
function thumbprintOf(x: string): string {
  const members = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x });
  return createHash('sha256').update(members).digest('base64url');
}
