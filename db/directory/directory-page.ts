/** Reads one page of the people or groups of a directory, with the total. */
import type { Handle } from '../postgres/connection.ts';
import { type Sql, sql, trustedText } from '../postgres/sql-text.ts';
import { uncheckedRows } from '../postgres/statement.ts';

/** A condition that is always true. */
export const NO_CONDITION = trustedText('true');

/** The requested part of a list. A limit of zero reads the total only. */
export interface DirectoryPage {
  offset: number;
  limit: number;
}

/**
 * Returns a page of living people or groups of an organization, oldest first, with the total. In the condition, the row
 * is called `resource`.
 */
export async function readDirectoryPage<Row>(
  handle: Handle,
  table: 'directory_people' | 'directory_groups',
  organizationId: string,
  condition: Sql,
  { offset, limit }: DirectoryPage,
): Promise<{ rows: Row[]; totalCount: number }> {
  const where = sql`from ${trustedText(table)} resource
     where resource.organization_id = ${organizationId} and resource.deleted_at is null and (${condition})`;
  const [count] = await uncheckedRows<{ n: string }>(handle, sql`select count(*) as n ${where}`);
  const totalCount = Number(count?.n ?? 0);
  if (limit === 0 || totalCount <= offset) return { rows: [], totalCount };
  const rows = await uncheckedRows<Row>(
    handle,
    sql`select resource.* ${where} order by resource.created_at, resource.id limit ${limit} offset ${offset}`,
  );
  return { rows, totalCount };
}
