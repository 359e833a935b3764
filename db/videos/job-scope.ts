/** Restricts queries on video jobs to those that the caller may read. */
import type { ReadScope } from '../../domain/principal.ts';

/** Returns the condition that a row of `video_jobs j` is in the scope, for `scopeValues`. */
export function inScope(scope: ReadScope): string {
  return scope.workspaceId === undefined
    ? 'j.organization_id = :organizationId'
    : 'j.organization_id = :organizationId and j.workspace_id = :workspaceId';
}

export function scopeValues({ organizationId, workspaceId }: ReadScope) {
  return { organizationId, workspaceId: workspaceId ?? null };
}
