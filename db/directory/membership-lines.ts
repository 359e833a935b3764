/** Counts the membership changes of a directory sync, and limits how many of them a job stores. */
import { MAX_CHANGES } from '../../domain/directory/job.ts';
import { int4, type RowOf } from '../postgres/shape.ts';

export const LINE_COUNTS = {
  membersAdded: int4,
  membersRemoved: int4,
  workspaceMembersAdded: int4,
  workspaceMembersChanged: int4,
  workspaceMembersRemoved: int4,
};
export type LineCounts = RowOf<typeof LINE_COUNTS>;

/** SQL: counts the rows of `lines` by kind of change. */
export const COUNT_LINES = `
  ${counted('membersAdded', 'organization_member', 'from_value is null')},
  ${counted('membersRemoved', 'organization_member', 'to_value is null')},
  ${counted('workspaceMembersAdded', 'workspace_member', 'from_value is null')},
  ${counted('workspaceMembersChanged', 'workspace_member', 'from_value is not null and to_value is not null')},
  ${counted('workspaceMembersRemoved', 'workspace_member', 'to_value is null')}`;

function counted(name: keyof LineCounts, kind: string, condition: string): string {
  return `count(*) filter (where kind = '${kind}' and ${condition})::int "${name}"`;
}

const KINDS_OF_LINES = {
  keys: `kind = 'key'`,
  removals: `kind not in ('key', 'group') and to_value is null`,
  others: `(kind = 'group' or kind <> 'key' and to_value is not null)`,
};

/**
 * Returns SQL for the number of lines of a kind that the job `:jobId` may still store; null for pushes, which have no
 * limit. Each kind has its own limit, so many joiners do not use up the space for leavers.
 */
export function roomFor(kind: keyof typeof KINDS_OF_LINES): string {
  return `case when cast(:jobId as uuid) is not null then greatest(0, ${MAX_CHANGES} -
    (select count(*) from directory_changes where job_id = cast(:jobId as uuid) and ${KINDS_OF_LINES[kind]})) end`;
}

/** SQL: the job may store the line. `place` is its number among the lines of its kind. */
export const HAS_ROOM = `coalesce(place <= case when ${KINDS_OF_LINES.keys} then ${roomFor('keys')}
  when ${KINDS_OF_LINES.removals} then ${roomFor('removals')} else ${roomFor('others')} end, true)`;

/** SQL: the number of lines about groups, joiners and changed roles that the job `:jobId` may still store. */
export const ROOM_FOR_OTHERS = roomFor('others');
