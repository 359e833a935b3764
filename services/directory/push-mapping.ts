/** Changes a group mapping and applies the result to memberships, in one transaction with the audit row. */
import type { Handle } from '../../db/postgres/connection.ts';
import type { GroupMapping } from '../../domain/directory/group.ts';
import type { Actor } from '../../domain/principal.ts';
import type { Push } from './push/push.ts';

export interface MappingChange<Answer> {
  answer: Answer;
  /** The operation and the mapping that it changed. Absent when nothing was done. */
  done?: { action: string; mapping: GroupMapping };
  /** The people whose memberships may change. */
  personIds: readonly string[];
}

export type PushMapping = <Answer>(
  call: { actor: Actor; gone: AbortSignal },
  work: (transaction: Handle) => Promise<MappingChange<Answer>>,
) => Promise<Answer>;

/**
 * Creates the function that changes mappings, in the transaction that applies the result, with an audit row. It works
 * with any source of people. It has no guard, because an administrator requested exactly this change.
 */
export function createPushMapping(push: Push): PushMapping {
  return ({ actor, gone }, work) =>
    push({ organizationId: actor.organizationId, actor, gone, allowPulled: true }, async (transaction) => {
      const { answer, done, personIds } = await work(transaction);
      const entries =
        done === undefined ? [] : [{ action: done.action, target: `scim/group-mappings/${done.mapping.id}` }];
      return { answer, personIds, entries, guarded: false };
    });
}
