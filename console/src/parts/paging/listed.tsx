/** Shows one page of a list: its rows as a table, or what to do without any, and the way to the other pages. */
import type { ReactNode } from 'react';
import { Loaded } from '../states/states.tsx';
import { Table, type TableProps } from '../table/table.tsx';
import { OffsetPages } from './offset-pages.tsx';
import type { ListPage } from './use-page.ts';

interface ListedProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  list: ListPage<Row>;
  /** What stands in place of a table without rows. */
  empty: ReactNode;
}

export function Listed<Row>({ list: { query, from, pageSize }, empty, ...table }: ListedProps<Row>) {
  return (
    <Loaded query={query} what={`the ${table.caption.toLowerCase()}`}>
      {({ data, total_count: total }) => (
        <>
          {data.length === 0 ? empty : <Table {...table} rows={data} />}
          <OffsetPages from={from} shown={data.length} pageSize={pageSize} total={total} />
        </>
      )}
    </Loaded>
  );
}
