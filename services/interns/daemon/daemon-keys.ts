/** Signs messages to the daemons of interns with cached keys, and publishes the public keys for verifiers. */
import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { DaemonKeyRecord, DaemonKeyStore } from '../../../db/interns/daemon-key-store.ts';
import { isPostgresDown } from '../../../db/postgres/outage.ts';
import { AppError } from '../../../domain/errors.ts';
import {
  daemonKeyContext,
  daemonKeyStates,
  signingPlace,
  usableDaemonKeys,
} from '../../../domain/interns/daemon-key.ts';
import { type Encryption, EncryptionError } from '../../../platform/encryption.ts';
import { createNoticedCache, type Notices } from '../../../platform/noticed-cache.ts';

export interface DaemonKeysOptions {
  store: Pick<DaemonKeyStore, 'list'>;
  /** Creates the first key; see `ensureDaemonKeys`. */
  ensure(): Promise<DaemonKeyRecord[]>;
  encryption: Pick<Encryption, 'open'>;
  notices: Notices;
  now?: () => number;
}

/** The one key of the cache, because all signing keys are read together. */
const ALL = 'all';

/** Caches the signing keys. */
export function createDaemonKeys(options: DaemonKeysOptions) {
  const { store, ensure, encryption, notices, now = Date.now } = options;
  const cache = createNoticedCache<Keyring>({
    async read() {
      const keys = await store.list();
      return createKeyring(keys.length === 0 ? await ensure() : keys, encryption, now);
    },
    notices,
    isDown: isPostgresDown,
    maxEntries: 1,
    refreshesAhead: true,
    now,
  });
  return {
    /** Returns the keys. Reads the database, and creates the first key, only when no keys are cached. */
    ring: (): Keyring | Promise<Keyring> => cache.peek(ALL) ?? cache.get(ALL).then((ring) => ring!),
    /** Empties the cache, because a notice on `sluice_daemon_keys` arrived or may have been missed. */
    forgetAll: cache.forgetAll,
  };
}

export type DaemonKeys = ReturnType<typeof createDaemonKeys>;

/** Holds the signing keys of the deployment, and decrypts each when it is first used. */
function createKeyring(
  keys: readonly DaemonKeyRecord[],
  encryption: Pick<Encryption, 'open'>,
  now: () => number,
) {
  const usable = usableDaemonKeys(keys);
  const opened = new Map<DaemonKeyRecord, KeyObject>();
  const open = (record: DaemonKeyRecord): KeyObject => {
    const key = opened.get(record) ?? openOrReport(encryption, record);
    opened.set(record, key);
    return key;
  };
  return {
    /**
     * Returns the base64 of an Ed25519 signature by the current signing key. Throws `unavailable` if the key cannot be
     * decrypted.
     */
    sign(text: string): string {
      const record = usable[signingPlace(usable, now())]!;
      return sign(null, Buffer.from(text), open(record)).toString('base64');
    },
    /** Returns the keys that verifiers may need now. */
    published(): Pick<DaemonKeyRecord, 'kid' | 'publicKey'>[] {
      const states = daemonKeyStates(usable, now());
      return usable.filter((_, place) => states[place]?.kind !== 'gone');
    },
  };
}

export type Keyring = ReturnType<typeof createKeyring>;

/** Decrypts a key. On a failure the log names the missing master key. */
function openOrReport(
  encryption: Pick<Encryption, 'open'>,
  { kid, sealedPrivateKey }: DaemonKeyRecord,
): KeyObject {
  try {
    const key = encryption.open(sealedPrivateKey, daemonKeyContext(kid));
    return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  } catch (error) {
    if (error instanceof EncryptionError) throw new AppError('unavailable', { cause: error });
    throw error;
  }
}
