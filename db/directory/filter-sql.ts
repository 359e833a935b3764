/** Translates a SCIM filter to a SQL condition on people or groups. */
import type { ScimAttribute, ScimResourceType } from '../../domain/directory/scim/attribute.ts';
import {
  type AttributePath,
  findAttribute,
  resolvePath,
  targetOf,
} from '../../domain/directory/scim/attribute-path.ts';
import type { Filter } from '../../domain/directory/scim/filter.ts';
import { refuse } from '../../domain/directory/scim/refuse.ts';
import { joined, trustedText, type Sql, sql } from '../postgres/sql-text.ts';
import { columnOf, listOf, type ValueList } from './filter-columns.ts';
import { comparisonSql, presenceSql } from './filter-comparison.ts';

/** A single comparison, or `pr`. */
type Test = Exclude<Filter, { op: 'and' | 'or' | 'not' | 'some' }>;

/**
 * Returns the condition for a filter on rows of `directory_people` or `directory_groups`. `alias` must be trusted text;
 * all text of the caller becomes parameters.
 */
export function filterSql(filter: Filter, type: ScimResourceType, alias: string): Sql {
  return combine(
    filter,
    (test) => testSql(test, type, alias),
    (path, inner) => {
      const [attribute] = resolve(path, type);
      const list = listOf(attribute, type, alias);
      if (list === undefined)
        throw refuse('invalidFilter', `${attribute.name} has no values to choose from.`);
      return existsSql(
        list,
        combine(inner, (test) => elementSql(test, attribute, list), refuseNested),
      );
    },
  );
}

/**
 * Combines conditions. SQL returns null for a comparison with a missing value; the negation of that comparison must be
 * true.
 */
function combine(
  filter: Filter,
  test: (filter: Test) => Sql,
  some: (path: string, filter: Filter) => Sql,
): Sql {
  switch (filter.op) {
    case 'and':
    case 'or': {
      const parts = filter.filters.map((part) => combine(part, test, some));
      return sql`(${joined(parts, ` ${filter.op} `)})`;
    }
    case 'not':
      return sql`((${combine(filter.filter, test, some)}) is not true)`;
    case 'some':
      return some(filter.path, filter.filter);
    default:
      return test(filter);
  }
}

function testSql(test: Test, type: ScimResourceType, alias: string): Sql {
  const path = withValue(resolve(test.path, type));
  const list = listOf(path[0], type, alias);
  if (list !== undefined) {
    const sub = path[1];
    if (sub === undefined && test.op === 'pr') return existsSql(list, trustedText('true'));
    return existsSql(list, elementSql({ ...test, path: sub?.name ?? 'value' }, path[0], list));
  }
  const target = targetOf(path);
  const column = columnOf(path, type, alias);
  if (column !== undefined && test.op === 'pr') return presenceSql(column);
  if (column === undefined || test.op === 'pr' || target.type === 'complex') {
    throw refuse('invalidFilter', `${target.name} cannot be filtered in this way.`);
  }
  return comparisonSql(column, target, test.op, test.value);
}

/** Returns the path to the default sub-attribute: `emails co "x"` and `manager eq "x"` compare `value`. */
function withValue(path: AttributePath): AttributePath {
  const value = findAttribute(targetOf(path).subAttributes, 'value');
  return value === undefined || targetOf(path).multiValued ? path : [path[0], ...path.slice(1), value];
}

function elementSql(test: Test, attribute: ScimAttribute, list: ValueList): Sql {
  const sub = findAttribute(attribute.subAttributes, test.path);
  const column = sub && list.column(sub);
  if (sub === undefined || column === undefined) {
    throw refuse('invalidFilter', `${attribute.name} cannot be filtered in this way.`);
  }
  return test.op === 'pr' ? presenceSql(column) : comparisonSql(column, sub, test.op, test.value);
}

function existsSql({ from }: ValueList, condition: Sql): Sql {
  return sql`exists (select 1 from ${from} and ${condition})`;
}

function resolve(name: string, type: ScimResourceType): AttributePath {
  const path = resolvePath(name, type);
  if (path === undefined) throw refuse('invalidFilter', 'The filter names an attribute that no schema has.');
  return path;
}

function refuseNested(): Sql {
  throw refuse('invalidFilter', 'Brackets cannot stand within brackets.');
}
