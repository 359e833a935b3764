/** Proves to an intern's daemon, by a signature, which user sent a message. */
import { AppError } from '../../../domain/errors.ts';
import { invocationText, isInvocationUser } from '../../../domain/interns/invocation.ts';
import type { Principal } from '../../../domain/principal.ts';
import type { InternRate } from '../../rate-limits/intern-rate.ts';
import { rateHeaders, secondsUntilReset } from '../../rate-limits/rate-headers.ts';
import type { RateVerdict } from '../../rate-limits/rate-limiter.ts';
import type { InternMemory } from '../intern-memory.ts';
import { visibleIntern } from '../visible-intern.ts';
import type { DaemonKeys, Keyring } from './daemon-keys.ts';

/** A signed proof of the caller's identity for an intern's daemon. */
export interface SignedInvocation {
  signature: string;
  /** The time of the signature in Unix seconds. */
  timestamp: number;
  user: string;
  /** Undefined when there is no rate limit. */
  rate: RateVerdict | undefined;
}

export interface DaemonServiceDeps {
  interns: Pick<InternMemory, 'find'>;
  keys: Pick<DaemonKeys, 'ring'>;
  rate: InternRate;
}

/** Creates the service that signs messages to the daemons of interns. */
export function createDaemonService({ interns, keys, rate }: DaemonServiceDeps) {
  return {
    /**
     * Signs that the key's identity sends this body to the intern's daemon. It uses Postgres only when the intern or
     * the signing keys are not cached, or when there is a rate limit. It checks in this order: 404 for an intern that
     * the key does not see, 403 for a key without an identity, 429 above the intern's rate limit.
     */
    async sign(principal: Principal, internId: string, bodySha256: string): Promise<SignedInvocation> {
      const { id } = await visibleIntern(interns.find, principal, internId);
      const user = userOf(principal);
      const verdict = await rate.take(id);
      if (verdict?.isAllowed === false) throw tooMany(verdict);
      const ring = await keys.ring();
      const timestamp = Math.floor(Date.now() / 1_000);
      const signature = ring.sign(invocationText({ internId: id, timestamp, user, bodySha256 }));
      return { signature, timestamp, user, rate: verdict };
    },
    /** Returns the public keys that verifiers need now. */
    publishedKeys: async (): Promise<ReturnType<Keyring['published']>> => (await keys.ring()).published(),
  };
}

export type DaemonService = ReturnType<typeof createDaemonService>;

/**
 * Returns the identity of the key. Throws a 403 for a key without one and for an intern's key. Keys of an earlier
 * version may have an identity that a header cannot carry, which is a 403 too.
 */
function userOf({ kind, identitySubject }: Principal): string {
  if (kind === 'intern' || identitySubject === undefined || !isInvocationUser(identitySubject)) {
    throw new AppError('personal_identity_required');
  }
  return identitySubject;
}

function tooMany(verdict: RateVerdict): AppError {
  return new AppError('rate_limited', {
    retryAfterSeconds: secondsUntilReset(verdict.resetMs),
    headers: rateHeaders(verdict),
  });
}
