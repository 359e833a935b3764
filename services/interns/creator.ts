/** Identifies who created an intern, because names and idempotency keys are unique for each creator. */
import { createHash } from 'node:crypto';
import type { Principal } from '../../domain/principal.ts';
import type { IdempotencyClaim } from '../answer-once.ts';

/** Returns the user of the key, or the key's hash when it has no user. */
export function creatorOf({ creatorUserId, keyHash }: Principal): string {
  return creatorUserId ?? keyHash;
}

/** Binds an `Idempotency-Key` to its creator, so that an equal request of another creator is another request. */
export function idempotencyOfCreator(
  principal: Principal,
  { key, requestHash }: IdempotencyClaim,
): IdempotencyClaim {
  const bound = JSON.stringify([creatorOf(principal), requestHash]);
  return { key, requestHash: createHash('sha256').update(bound).digest('hex') };
}
