/** Describes a call of the API once: pages send it, cache its answer, and show it as a curl command. */
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import {
  type ClientPathsWithMethod,
  defaultPathSerializer,
  type MethodResponse,
  type RequestBodyOption,
} from 'openapi-fetch';
import { useState } from 'react';
import type { components, paths } from '../../generated/api.d.ts';
import { type Answer, api, read } from './client.ts';
import type { CurlCall } from './curl.ts';
import { LIVE_MS } from './query-client.ts';

/** One of the records of the API: `Schema<'ApiKey'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

/** A call, with its answer's type. */
export interface Call<Data = unknown> extends CurlCall {
  send(signal?: AbortSignal): Promise<Data>;
}

type Method = CurlCall['method'];
type PathOf<M extends Method> = ClientPathsWithMethod<typeof api, Lowercase<M>>;
type OperationOf<M extends Method, P extends PathOf<M>> = paths[P][Lowercase<M>];
type Init<Operation> = (Operation extends { parameters: infer All extends object }
  ? Omit<All, 'header' | 'cookie'>
  : unknown) &
  RequestBodyOption<Operation> & { headers?: Record<string, string> };

interface AnyInit {
  path?: Record<string, unknown>;
  query?: CurlCall['query'];
  body?: unknown;
  headers?: Record<string, string>;
}

/** Sends any call. The types of `callTo` have checked it. */
const request = api.request as (method: string, path: string, init: object) => Promise<Answer<unknown>>;

/** Returns a call: `callTo('GET', '/keys/{hash}', { path: { hash } })`. */
export const callTo = describe as <M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  init: Init<OperationOf<M, P>>,
) => Call<MethodResponse<typeof api, Lowercase<M>, P>>;

function describe(method: Method, path: string, { path: parts = {}, query, body, headers }: AnyInit): Call {
  const params = { path: parts, query };
  return {
    method,
    path: defaultPathSerializer(path, parts),
    query,
    body,
    send: (signal) => read(request(method.toLowerCase(), path, { params, body, headers, signal })),
  };
}

/** Returns a header by which a second click, or a repetition after a lost answer, changes nothing more. */
export function useIdempotencyKey(): Record<'Idempotency-Key', string> {
  const [key] = useState(() => crypto.randomUUID());
  return { 'Idempotency-Key': key };
}

interface ReadOptions<Data> {
  /** True: it changes, and is read again every five seconds. A function decides by what was read. */
  isLive?: boolean | ((data: Data) => boolean);
  everyMs?: number;
  enabled?: boolean;
  /** True: the answer of the call before stays visible until this one is there. */
  keepsLast?: boolean;
  staleTime?: number;
  /** A change of this value reads the answer again. */
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
