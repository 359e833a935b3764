/** Reads one page of the people or groups of a directory, with the total. */
import type { Handle } from '../postgres/connection.ts';
import { countRows } from '../postgres/results.ts';
import type { RowOf, Shape } from '../postgres/shape.ts';
import { type Sql, sql, trustedText } from '../postgres/sql-text.ts';
import { rowsOf } from '../postgres/statement.ts';

/** SQL: only rows of `:organizationId`. */
export const OF_ORGANIZATION = 'where organization_id = :organizationId';

/** A condition that is always true. */
export const NO_CONDITION = trustedText('true');

/** The requested part of a list. A limit of zero reads the total only. */
export interface DirectoryPage {
  offset: number;
  limit: number;
}

/** The rows to read, with the list of their columns. */
interface PageRows<S extends Shape> {
  table: 'directory_people' | 'directory_groups';
  shape: S;
  columns: string;
}

/**
 * Returns a page of living people or groups of an organization, oldest first, with the total. In the condition, the row
 * is called `resource`.
 */
export async function readDirectoryPage<S extends Shape>(
  handle: Handle,
  { table, shape, columns }: PageRows<S>,
  organizationId: string,
  condition: Sql,
  { offset, limit }: DirectoryPage,
): Promise<{ rows: RowOf<S>[]; totalCount: number }> {
  const where = sql`from ${trustedText(table)} resource
     where resource.organization_id = ${organizationId} and resource.deleted_at is null and (${condition})`;
  const totalCount = await countRows(handle, where);
  if (limit === 0 || totalCount <= offset) return { rows: [], totalCount };
  const rows = await rowsOf(
    handle,
    shape,
    sql`select ${trustedText(columns)} ${where} order by resource.created_at, resource.id limit ${limit} offset ${offset}`,
  );
  return { rows, totalCount };
}
