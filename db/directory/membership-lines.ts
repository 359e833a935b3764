import { MAX_CHANGES, type SyncCounts } from '../../domain/directory/job.ts';

export type LineCounts = Pick<
  SyncCounts,
  | 'membersAdded'
  | 'membersRemoved'
  | 'workspaceMembersAdded'
  | 'workspaceMembersChanged'
  | 'workspaceMembersRemoved'
>;

/** Counts `lines` by what happens to whom. */
export const LINE_COUNTS = `
  ${counted('membersAdded', 'organization_member', 'from_value is null')},
  ${counted('membersRemoved', 'organization_member', 'to_value is null')},
  ${counted('workspaceMembersAdded', 'workspace_member', 'from_value is null')},
  ${counted('workspaceMembersChanged', 'workspace_member', 'from_value is not null and to_value is not null')},
  ${counted('workspaceMembersRemoved', 'workspace_member', 'to_value is null')}`;

function counted(name: keyof LineCounts, kind: string, condition: string): string {
  return `count(*) filter (where kind = '${kind}' and ${condition})::int "${name}"`;
}

/** How many lines the job `:jobId` may still keep; null, no limit, where nothing but a push makes them. */
export const linesRoom = `case when cast(:jobId as uuid) is not null then greatest(0, ${MAX_CHANGES} -
  (select count(*) from directory_changes where job_id = cast(:jobId as uuid))) end`;
