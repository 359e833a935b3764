/** Restricts queries on video jobs to those that the caller may read. */
import type { ReadScope } from '../../domain/principal.ts';

/** Returns the condition that a row of `video_jobs j` is in the scope, for `scopeBindings`. */
export function inScope(scope: ReadScope): string {
  return scope.workspaceId === undefined
    ? 'j.organization_id = ?'
    : 'j.organization_id = ? and j.workspace_id = ?';
}

export function scopeBindings(scope: ReadScope): string[] {
  return scope.workspaceId === undefined ? [scope.organizationId] : [scope.organizationId, scope.workspaceId];
}
