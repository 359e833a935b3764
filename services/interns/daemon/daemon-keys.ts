import { type KeyObject, sign } from 'node:crypto';
import type { DaemonKeyRecord, DaemonKeyStore } from '../../../db/interns/daemon-key-store.ts';
import { isAway } from '../../../db/outage.ts';
import { AppError } from '../../../domain/errors.ts';
import { daemonKeyStates, signingPlace, usableDaemonKeys } from '../../../domain/interns/daemon-key.ts';
import { type Encryption, EncryptionError } from '../../../platform/encryption.ts';
import { createNoticedCache, type Notices } from '../../../platform/noticed-cache.ts';
import { openDaemonKey } from './new-daemon-key.ts';

/** The signing keys of the deployment, opened. */
export interface Keyring {
  /** Returns the base64 of an Ed25519 signature by the key that signs now. Throws `unavailable` if it cannot be opened. */
  sign(text: string): string;
  /** Returns the keys with which a verifier may have to do now. */
  published(): Pick<DaemonKeyRecord, 'kid' | 'publicKey'>[];
}

/** Remembers the signing keys. */
export interface DaemonKeys {
  /** Reads the database, and makes the first key, only where no keys are remembered. */
  ring(): Keyring | Promise<Keyring>;
  /** A notice on `sluice_daemon_keys` arrived, or may have been missed. */
  forgetAll(): void;
}

export interface DaemonKeysOptions {
  store: Pick<DaemonKeyStore, 'list'>;
  /** Makes the first key; see `ensureDaemonKeys`. */
  ensure(): Promise<DaemonKeyRecord[]>;
  encryption: Pick<Encryption, 'open'>;
  notices: Notices;
  now?: () => number;
}

/** All keys are read together. */
const ALL = 'all';

export function createDaemonKeys(options: DaemonKeysOptions): DaemonKeys {
  const { store, ensure, encryption, notices, now = Date.now } = options;
  const cache = createNoticedCache<Keyring>({
    async read() {
      const keys = await store.list();
      return createKeyring(keys.length === 0 ? await ensure() : keys, encryption, now);
    },
    notices,
    isAway,
    maxEntries: 1,
    refreshesAhead: true,
    now,
  });
  return {
    ring: () => cache.peek(ALL) ?? cache.get(ALL).then((ring) => ring!),
    forgetAll: cache.forgetAll,
  };
}

function createKeyring(
  keys: readonly DaemonKeyRecord[],
  encryption: Pick<Encryption, 'open'>,
  now: () => number,
): Keyring {
  const usable = usableDaemonKeys(keys);
  const opened = new Map<DaemonKeyRecord, KeyObject>();
  const open = (record: DaemonKeyRecord): KeyObject => {
    const key = opened.get(record) ?? openOrReport(encryption, record);
    opened.set(record, key);
    return key;
  };
  return {
    sign(text) {
      const record = usable[signingPlace(usable, now())]!;
      return sign(null, Buffer.from(text), open(record)).toString('base64');
    },
    published() {
      const states = daemonKeyStates(usable, now());
      return usable.filter((_, place) => states[place]?.kind !== 'gone');
    },
  };
}

/** The log names the master key that is missing. */
function openOrReport(encryption: Pick<Encryption, 'open'>, record: DaemonKeyRecord): KeyObject {
  try {
    return openDaemonKey(encryption, record);
  } catch (error) {
    if (error instanceof EncryptionError) throw new AppError('unavailable', { cause: error });
    throw error;
  }
}
