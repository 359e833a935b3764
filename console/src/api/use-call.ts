/** Reads calls for pages. What one page has read, another sees at once. */
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import type { Call } from './call.ts';
import { LIVE_MS } from './query-client.ts';

interface ReadOptions<Data> {
  /** True: it changes, and is read again every five seconds. A function decides by what was read. */
  isLive?: boolean | ((data: Data) => boolean);
  everyMs?: number;
  enabled?: boolean;
  /** True: the answer of the call before stays visible until this one is there. */
  keepsLast?: boolean;
  staleTime?: number;
  /** Of what the answer depends on beside the call: when it changes, the answer is read again. */
  version?: unknown;
}

/** Reads the answer of a call, and keeps it fresh while somebody looks. */
export function useCall<Data>(
  call: Call<Data>,
  { isLive = false, everyMs = LIVE_MS, keepsLast = false, version, ...options }: ReadOptions<Data> = {},
): UseQueryResult<Data> {
  return useQuery<Data>({
    queryKey: [call.path, call.query, call.body, version],
    queryFn: ({ signal }) => call.send(signal),
    placeholderData: keepsLast ? keepPreviousData : undefined,
    refetchInterval({ state: { data } }) {
      const goesOn = typeof isLive === 'boolean' ? isLive : data === undefined || isLive(data);
      return goesOn ? everyMs : false;
    },
    ...options,
  });
}

/** Returns a header by which a second click, or a repetition after a lost answer, changes nothing more. */
export function useIdempotencyKey(): Record<'Idempotency-Key', string> {
  const [key] = useState(() => crypto.randomUUID());
  return { 'Idempotency-Key': key };
}
