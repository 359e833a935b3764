/** Reads one page of a list. The URL has the number of rows before it. */
import type { UseQueryResult } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { Call } from '../../api/call.ts';
import { useCall } from '../../api/use-call.ts';

interface Answered<Row> {
  data: Row[];
  total_count?: number;
}

export interface ListPage<Row> {
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
