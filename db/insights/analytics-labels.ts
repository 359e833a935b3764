/** Builds the query for the display names of keys, users, models and other ids in an analytics result. */
import type { Dimension } from '../../domain/insights/analytics-dimensions.ts';
import { joined, type Sql, sql } from '../postgres/sql-text.ts';

/** Values of a dimension that need display names. */
export interface LabelQuery {
  dimension: Dimension;
  values: readonly (string | number)[];
}

export function labelKey(dimension: Dimension, value: string | number): string {
  return `${dimension} ${value}`;
}

/** Returns one statement for all display names; undefined if none of the values has one. */
export function labelStatement(organizationId: string, queries: readonly LabelQuery[]): Sql | undefined {
  const parts = queries.flatMap(({ dimension, values }) => {
    const part = values.length === 0 ? undefined : PARTS[dimension]?.(organizationId, values.map(String));
    return part === undefined ? [] : [part];
  });
  return parts.length === 0 ? undefined : joined(parts, ' union all ');
}

const PARTS: Partial<Record<Dimension, (organizationId: string, values: string[]) => Sql>> = {
  model: (_, values) =>
    sql`select 'model ' || canonical_slug "key", name label from models where canonical_slug = any(${values}::text[])`,
  provider: (_, values) =>
    sql`select 'provider ' || slug "key", name label from providers where slug = any(${values}::text[])`,
  api_key_id: (organizationId, values) => sql`
    select 'api_key_id ' || id "key", name label from api_keys
    where organization_id = ${organizationId}::uuid and id = any(${values}::bigint[])`,
  workspace: (organizationId, values) => sql`
    select 'workspace ' || id "key", name label from workspaces
    where organization_id = ${organizationId}::uuid and id = any(${values}::uuid[])`,
  user: (organizationId, values) => sql`
    select 'user ' || u.id "key", coalesce(nullif(concat_ws(' ', u.first_name, u.last_name), ''), u.email) label
    from organization_members m join users u on u.id = m.user_id
    where m.organization_id = ${organizationId}::uuid and u.id = any(${values}::text[])`,
  app: (_, values) => sql`
    select 'app ' || id "key", coalesce(nullif(title, ''), origin) label from apps
    where id = any(${values}::bigint[])`,
  preset: (organizationId, values) => sql`
    select 'preset ' || p.id "key", p.name label
    from workspaces w join presets p on p.workspace_id = w.id
    where w.organization_id = ${organizationId}::uuid and p.id::text = any(${values}::text[])`,
};
