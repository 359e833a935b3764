/**
 * Tells in SQL whether one of a workspace's destinations needs prompts and answers: it sends them, or a filter looks at
 * them. Destinations and filters that are switched off count, since both go on at the cursor when they are switched on.
 */
export function wantsContent(workspaceId: string): string {
  return `exists (
    select from observability_destinations d where d.workspace_id = ${workspaceId} and (
      not d.privacy_mode or exists (
        select from jsonb_path_query(d.filter_rules, '$.groups[*].rules[*].field') field
        where field #>> '{}' in ('input', 'output'))))`;
}
