/** Stores the signing keys of daemons, encrypted, with the times at which they retire. */
import type { DaemonKeyTimes } from '../../domain/interns/daemon-key.ts';
import type { Handle } from '../postgres/connection.ts';
import { selectList, text, timestamptz } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';

export interface NewDaemonKey {
  /** The thumbprint of its JWK (RFC 7638). */
  kid: string;
  /** The 32 bytes in base64url. */
  publicKey: string;
  /** PKCS #8, sealed. */
  sealedPrivateKey: string;
}

export type DaemonKeyRecord = NewDaemonKey & DaemonKeyTimes;

const DAEMON_KEY = {
  kid: text,
  publicKey: text,
  sealedPrivateKey: text,
  signsFrom: timestamptz,
  withdrawnAt: timestamptz.orNull,
};

/** Stores the keys that sign for interns' daemons. Every change is announced on `sluice_daemon_keys`. */
export function createDaemonKeyStore(handle: Handle) {
  return {
    list: (): Promise<DaemonKeyRecord[]> =>
      rowsOf(
        handle,
        DAEMON_KEY,
        `select ${selectList(DAEMON_KEY)} from daemon_signing_keys order by signs_from, kid`,
      ),

    /** Blocks other changes of the keys until the commit. */
    async lock(): Promise<void> {
      await run(handle, 'lock table daemon_signing_keys in share row exclusive mode');
    },

    async insert({ kid, publicKey, sealedPrivateKey }: NewDaemonKey, delayMs: number): Promise<void> {
      await run(
        handle,
        `insert into daemon_signing_keys (kid, public_key, sealed_private_key, signs_from)
         values (:kid, :publicKey, :sealedPrivateKey, now() + :delayMs * interval '1 millisecond')`,
        { kid, publicKey, sealedPrivateKey, delayMs },
      );
    },

    async withdrawAll(): Promise<void> {
      await run(handle, 'update daemon_signing_keys set withdrawn_at = now() where withdrawn_at is null');
    },

    async remove(kids: readonly string[]): Promise<void> {
      await run(handle, 'delete from daemon_signing_keys where kid = any(:kids)', { kids });
    },
  };
}

export type DaemonKeyStore = ReturnType<typeof createDaemonKeyStore>;
