/** Reads one page of a list, and shows it: a table, or what to do without rows, and the way to the other pages. */
import type { UseQueryResult } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Call, useCall } from '../../api/call.ts';
import { buttonClass } from '../button/button.tsx';
import { Loaded } from '../states/states.tsx';
import { TableOr, type TableProps } from '../table/table.tsx';

interface Answered<Row> {
  data: Row[];
  total_count?: number;
}

interface ListPage<Row> {
  call: Call<Answered<Row>>;
  query: UseQueryResult<Answered<Row>>;
  /** The number of rows before this page. */
  from: number;
  pageSize: number;
}

interface PageOptions<Row> {
  /** True: the list is read again every five seconds. A function decides by its rows. */
  isLive?: boolean | ((row: Row) => boolean);
  pageSize?: number;
  version?: unknown;
}

const PAGE_SIZE = 50;

/** Reads the page that the URL names. */
export function usePage<Row>(
  makeCall: (page: { limit: number; offset: number }) => Call<Answered<Row>>,
  { isLive = false, pageSize = PAGE_SIZE, version }: PageOptions<Row> = {},
): ListPage<Row> {
  const from = offsetOf(useSearch({ strict: false }).offset);
  const call = makeCall({ limit: pageSize, offset: from });
  const query = useCall(call, {
    keepsLast: true,
    version,
    isLive: typeof isLive === 'boolean' ? isLive : ({ data }) => data.some(isLive),
  });
  return { call, query, from, pageSize };
}

/** Returns the offset of a URL; 0 if it has none that makes sense. */
function offsetOf(text: string | undefined): number {
  const offset = Number(text ?? 0);
  return Number.isSafeInteger(offset) && offset > 0 ? offset : 0;
}

export interface ListedProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  list: ListPage<Row>;
  /** What stands in place of a table without rows. */
  empty: ReactNode;
}

export function Listed<Row>({ list: { query, from, pageSize }, empty, ...table }: ListedProps<Row>) {
  return (
    <Loaded query={query} what={`the ${table.caption.toLowerCase()}`}>
      {({ data, total_count: total }) => (
        <>
          <TableOr {...table} empty={empty} rows={data} />
          <OffsetPages from={from} shown={data.length} pageSize={pageSize} total={total} />
        </>
      )}
    </Loaded>
  );
}

interface OffsetPagesProps {
  /** The number of rows before this page. */
  from: number;
  /** The number of rows on this page. */
  shown: number;
  pageSize: number;
  /** Absent: the API does not count; a full page then has a next one. */
  total?: number;
}

/** Leads to the newer and older pages of the list. */
function OffsetPages({ from, shown, pageSize, total }: OffsetPagesProps) {
  const hasOlder = total === undefined ? shown === pageSize : from + shown < total;
  if (from === 0 && !hasOlder) return null;
  return (
    <nav aria-label="Pages of the list" className="row spread">
      <span className="muted">
        {shown > 0 && `${from + 1}–${from + shown}`}
        {total !== undefined && ` of ${total.toLocaleString()}`}
      </span>
      {from > 0 && <PageLink offset={from - pageSize}>Newer</PageLink>}
      {hasOlder && <PageLink offset={from + pageSize}>Older</PageLink>}
    </nav>
  );
}

function PageLink({ offset, children }: { offset: number; children: string }) {
  const text = offset > 0 ? String(offset) : undefined;
  return (
    <Link to="." search={(last) => ({ ...last, offset: text })} className={buttonClass()}>
      {children}
    </Link>
  );
}
