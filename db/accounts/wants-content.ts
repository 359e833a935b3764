/**
 * Returns SQL that tells whether one of a workspace's destinations needs prompts and answers: it sends them, or a
 * filter tests them. Disabled destinations and filters count, since they continue at their cursor when enabled.
 */
export function wantsContent(workspaceId: string): string {
  return `exists (
    select from observability_destinations d where d.workspace_id = ${workspaceId} and (
      not d.privacy_mode or exists (
        select from jsonb_path_query(d.filter_rules, '$.groups[*].rules[*].field') field
        where field #>> '{}' in ('input', 'output'))))`;
}
