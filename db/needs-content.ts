/**
 * Returns SQL that is true if a destination of the workspace needs prompts and answers: the destination sends them, or
 * one of its filters tests them. Disabled destinations and filters count, since they continue at their cursor when they
 * are enabled.
 */
export function needsContent(workspaceId: string): string {
  return `exists (
    select from observability_destinations d where d.workspace_id = ${workspaceId} and (
      not d.privacy_mode or exists (
        select from jsonb_path_query(d.filter_rules, '$.groups[*].rules[*].field') field
        where field #>> '{}' in ('input', 'output'))))`;
}
