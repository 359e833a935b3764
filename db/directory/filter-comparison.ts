/** Translates one comparison of a SCIM filter to SQL. */
import type { ScimAttribute } from '../../domain/directory/scim/attribute.ts';
import { comparisonValue } from '../../domain/directory/scim/comparison-value.ts';
import type { Comparison, FilterValue } from '../../domain/directory/scim/filter.ts';
import { isUuid, memberValue } from '../../domain/directory/scim/member-value.ts';
import { refuse } from '../../domain/directory/scim/refuse.ts';
import { trustedText, type Sql, sql } from '../postgres/sql-text.ts';
import type { FilterColumn } from './filter-columns.ts';

/** Returns the condition that a column has a value. */
export function presenceSql({ text, kind }: FilterColumn): Sql {
  return kind === 'text' ? sql`coalesce(${text}, '') <> ''` : sql`${text} is not null`;
}

/**
 * Returns the condition of one comparison. Text is compared in lower case unless the schema says that it is
 * case-sensitive.
 */
export function comparisonSql(
  column: FilterColumn,
  attribute: ScimAttribute,
  op: Comparison,
  given: FilterValue,
): Sql {
  const value = comparisonValue(attribute, op, given);
  if (value === null) return op === 'eq' ? sql`${column.text} is null` : sql`${column.text} is not null`;
  if (typeof value === 'boolean') {
    const wanted = trustedText(String(value));
    return op === 'eq' ? sql`${column.text} = ${wanted}` : sql`${column.text} is distinct from ${wanted}`;
  }
  if (column.kind === 'time') return timeSql(column.text, op, value);
  if (column.kind === 'uuid') return uuidSql(column.text, op, value);
  const wanted = column.kind === 'member' ? memberValue(value) : value;
  if (attribute.caseExact) return textSql(column.text, op, wanted, (part) => part);
  return textSql(sql`lower(${column.text})`, op, wanted, (part) => sql`lower(${part})`);
}

/** Compares Sluice's own ids: as UUIDs for equality, which can use an index, and as text otherwise. */
function uuidSql(column: Sql, op: Comparison, value: string): Sql {
  if (op === 'eq') return isUuid(value) ? sql`${column} = ${value}::uuid` : trustedText('false');
  return textSql(sql`${column}::text`, op, value.toLowerCase(), (part) => part);
}

function textSql(column: Sql, op: Comparison, value: string, fold: (text: Sql) => Sql): Sql {
  const like = (pattern: string): Sql => sql`${column} like ${fold(sql`${pattern}::text`)}`;
  const wanted = fold(sql`${value}::text`);
  switch (op) {
    case 'co':
      return like(`%${escapeLike(value)}%`);
    case 'sw':
      return like(`${escapeLike(value)}%`);
    case 'ew':
      return like(`%${escapeLike(value)}`);
    default:
      return sql`${column} ${operatorOf(op)} ${wanted}`;
  }
}

/** Compares times in milliseconds, the precision of responses. */
function timeSql(column: Sql, op: Comparison, value: string): Sql {
  if (op === 'co' || op === 'sw' || op === 'ew') {
    throw refuse('invalidFilter', 'A time is compared by eq, ne, gt, ge, lt or le.');
  }
  return sql`date_trunc('milliseconds', ${column}) ${operatorOf(op)} ${readTime(value)}::timestamptz`;
}

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d:\d\d)?$/;

function readTime(value: string): string {
  const [, date, offset] = TIME.exec(value.toUpperCase()) ?? [];
  // A time without an offset is in UTC, independent of the process's time zone.
  const time = date === undefined ? Number.NaN : Date.parse(date + (offset ?? 'Z'));
  if (Number.isNaN(time))
    throw refuse('invalidFilter', 'A time must be written such as 2026-01-31T12:00:00Z.');
  // Postgres has no year 0, so it becomes the first day of year 1.
  return new Date(Math.max(time, FIRST_TIME)).toISOString();
}

const FIRST_TIME = Date.parse('0001-01-01T00:00:00Z');

function operatorOf(op: 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le'): Sql {
  return trustedText(OPERATORS[op]);
}

const OPERATORS = { eq: '=', ne: 'is distinct from', gt: '>', ge: '>=', lt: '<', le: '<=' } as const;

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
