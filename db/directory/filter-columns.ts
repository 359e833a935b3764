/** Maps attributes of SCIM to the columns and JSON fields that store them, for filters. */
import type { ScimAttribute, ScimResourceType } from '../../domain/directory/scim/attribute.ts';
import type { AttributePath } from '../../domain/directory/scim/attribute-path.ts';
import { trustedText, type Sql, sql } from '../postgres/sql-text.ts';

/** The place of an attribute in the database. */
export interface FilterColumn {
  text: Sql;
  kind: 'text' | 'uuid' | 'member' | 'boolean' | 'time';
}

/** The values of a multi-valued attribute: SQL between `from` and a further condition. */
export interface ValueList {
  from: Sql;
  column(sub: ScimAttribute): FilterColumn | undefined;
}

/** Attributes with columns of their own; all others are in `resource`. */
const COLUMNS: Readonly<Record<ScimResourceType, Readonly<Record<string, [string, FilterColumn['kind']]>>>> =
  {
    User: {
      id: ['id', 'uuid'],
      externalId: ['external_id', 'text'],
      userName: ['user_name', 'text'],
      active: ['active', 'boolean'],
      'meta.created': ['created_at', 'time'],
      'meta.lastModified': ['updated_at', 'time'],
    },
    Group: {
      id: ['id', 'uuid'],
      externalId: ['external_id', 'text'],
      displayName: ['display_name', 'text'],
      'meta.created': ['created_at', 'time'],
      'meta.lastModified': ['updated_at', 'time'],
    },
  };

/** Returns the place of a single value; undefined if filters do not support it. */
export function columnOf(
  path: AttributePath,
  type: ScimResourceType,
  alias: string,
): FilterColumn | undefined {
  const names = path.map(({ name }) => name);
  const [column, kind] = COLUMNS[type][names.join('.')] ?? [];
  if (column !== undefined && kind !== undefined) return { text: trustedText(`${alias}.${column}`), kind };
  if (names.join('.') === 'meta.resourceType') return { text: sql`${type}::text`, kind: 'text' };
  if (path.some(({ multiValued }) => multiValued) || path[0].name === 'meta') return undefined;
  const inResource = sql`${trustedText(alias)}.resource #>> ${names}`;
  return { text: sql`(${inResource})`, kind: 'text' };
}

/** Returns the values of a multi-valued attribute; undefined for a single-valued one. */
export function listOf(
  attribute: ScimAttribute,
  type: ScimResourceType,
  alias: string,
): ValueList | undefined {
  if (!attribute.multiValued || attribute.type !== 'complex') return undefined;
  const row = trustedText(alias);
  if (type === 'User' && attribute.name === 'groups') return groupsOf(row);
  if (type === 'Group' && attribute.name === 'members') return membersOf(row);
  return {
    from: sql`jsonb_array_elements(${row}.resource -> ${attribute.name}) element where true`,
    column: (sub) => {
      const text = sql`(element ->> ${sub.name})`;
      return sub.type === 'boolean'
        ? { text: sql`${text}::boolean`, kind: 'boolean' }
        : { text, kind: 'text' };
    },
  };
}

function groupsOf(row: Sql): ValueList {
  const columns: Readonly<Record<string, FilterColumn>> = {
    value: { text: trustedText('of_group.id'), kind: 'uuid' },
    display: { text: trustedText('of_group.display_name'), kind: 'text' },
    type: { text: sql`${'direct'}::text`, kind: 'text' },
  };
  return {
    from: sql`directory_group_members membership
      join directory_groups of_group on of_group.id = membership.group_id and of_group.deleted_at is null
      where membership.person_id = ${row}.id`,
    column: ({ name }) => columns[name],
  };
}

function membersOf(row: Sql): ValueList {
  const columns: Readonly<Record<string, FilterColumn>> = {
    value: { text: trustedText('membership.value'), kind: 'member' },
    type: { text: sql`${'User'}::text`, kind: 'text' },
  };
  return {
    from: sql`directory_group_members membership where membership.group_id = ${row}.id`,
    column: ({ name }) => columns[name],
  };
}
