/** Identifies who created an intern, because names and idempotency keys are unique for each creator. */
import { createHash } from 'node:crypto';
import type { Principal } from '../../domain/principal.ts';
import type { IdempotencyClaim } from '../answer-once.ts';
import { AppError } from '../../domain/errors.ts';

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

/** Returns the 409 for a name that another intern of the same creator has in the workspace. */
export function nameTaken(): AppError {
  const issue = { path: 'body.name', message: 'is the name of another intern of the same creator' };
  return new AppError('conflict', { reason: 'intern_name_taken', retryable: false, issues: [issue] });
}
