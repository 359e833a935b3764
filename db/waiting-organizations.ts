/** Builds SQL that reads waiting rows by turns of their organizations. */

/** The waiting rows of a table with the columns `organization_id` and `created_at`. */
export interface WaitingRows {
  table: string;
  /** SQL: the condition of waiting rows. A partial index on (organization_id, created_at) has the same. */
  condition: string;
}

/**
 * Returns a recursive query, named `waiting`, of the organizations with waiting rows. It reads one index entry for each
 * organization, however many rows wait.
 */
export function waitingOrganizations({ table, condition }: WaitingRows): string {
  const first = (after: string): string =>
    `(select organization_id from ${table} where ${condition} ${after} order by organization_id limit 1)`;
  return `recursive waiting (organization_id) as (
    ${first('')}
    union all
    select ${first('and organization_id > w.organization_id')}
    from waiting w where w.organization_id is not null
  )`;
}

/**
 * Returns a query of the oldest waiting rows: first one row of each organization, then a second one of each, and so on.
 * Its values are `olderThanMs`, the least age in milliseconds, and `limit`, the number of rows. The columns belong to
 * the table `page`.
 */
export function waitingByTurns({ table, condition }: WaitingRows, columns = 'page.*'): string {
  return `with ${waitingOrganizations({ table, condition })}
    select ${columns} from waiting w cross join lateral (
      select *, row_number() over (order by created_at) turn from (
        select * from ${table}
        where ${condition} and organization_id = w.organization_id
          and created_at < now() - :olderThanMs * interval '1 millisecond'
        order by created_at limit :limit
      ) oldest
    ) page
    order by turn, page.created_at limit :limit`;
}
