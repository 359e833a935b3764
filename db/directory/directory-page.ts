/** Reads one page of the people or groups of a directory, with the total. */
import type { Knex } from 'knex';
import { type Handle, rowsOf } from '../postgres/connection.ts';

/** A condition of a `where` clause, in which the row is called `resource`. */
export interface SqlCondition {
  sql: string;
  bindings: readonly unknown[];
}

/** A condition that is always true. */
export const NO_CONDITION: SqlCondition = { sql: 'true', bindings: [] };

/** The requested part of a list. A limit of zero reads the total only. */
export interface DirectoryPage {
  offset: number;
  limit: number;
}

/** Returns a page of living people or groups of an organization, oldest first, with the total. */
export async function readDirectoryPage<Row>(
  handle: Handle,
  table: 'directory_people' | 'directory_groups',
  organizationId: string,
  { sql, bindings }: SqlCondition,
  { offset, limit }: DirectoryPage,
): Promise<{ rows: Row[]; totalCount: number }> {
  const where = `from ${table} resource
     where resource.organization_id = ? and resource.deleted_at is null and (${sql})`;
  const values = [organizationId, ...(bindings as Knex.RawBinding[])];
  const [count] = await rowsOf<{ n: string }>(handle, `select count(*) as n ${where}`, values);
  const totalCount = Number(count?.n ?? 0);
  if (limit === 0 || totalCount <= offset) return { rows: [], totalCount };
  const rows = await rowsOf<Row>(
    handle,
    `select resource.* ${where} order by resource.created_at, resource.id limit ? offset ?`,
    [...values, limit, offset],
  );
  return { rows, totalCount };
}
