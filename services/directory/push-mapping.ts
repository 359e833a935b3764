import type { Handle } from '../../db/connection.ts';
import type { GroupMapping } from '../../domain/directory/group.ts';
import type { Actor } from '../../domain/principal.ts';
import type { Push } from './push/push.ts';

export interface MappingChange<Answer> {
  answer: Answer;
  /** The operation and the mapping that it changed. Absent when nothing was done. */
  done?: { action: string; mapping: GroupMapping };
  /** The people for whom memberships may follow. */
  personIds: readonly string[];
}

export type PushMapping = <Answer>(
  call: { actor: Actor; gone: AbortSignal },
  work: (transaction: Handle) => Promise<MappingChange<Answer>>,
) => Promise<Answer>;

/**
 * Returns how mappings are changed: in the transaction that applies what follows, with an audit row, whatever source the
 * people come from, and without a guard, because an administrator asked for exactly this change.
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
