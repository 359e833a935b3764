/** Turns an end user into the record that the responses on end users show. */
import type { EndUserRecord } from '../../../contract/accounts/end-users.ts';
import type { EndUser } from '../../../domain/accounts/end-user.ts';

export function presentEndUser({ user, isActive, createdAt, updatedAt }: EndUser): EndUserRecord {
  return {
    user,
    is_active: isActive,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}
