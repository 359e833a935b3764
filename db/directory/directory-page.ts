import type { Knex } from 'knex';
import { type Handle, rowsOf } from '../connection.ts';

/** A condition of a `where` clause. It names the row as `resource`. */
export interface SqlCondition {
  sql: string;
  bindings: readonly unknown[];
}

/** The condition that everything meets. */
export const NO_CONDITION: SqlCondition = { sql: 'true', bindings: [] };

/** Which part of a list is read. A limit of zero reads the total only. */
export interface DirectoryPage {
  offset: number;
  limit: number;
}

/** Lists living people or groups of an organization, oldest first, and says how many there are in all. */
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
