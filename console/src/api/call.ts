/** Describes a call of the API once: pages send it, cache its answer, and show it as a curl command. */
import {
  type ClientPathsWithMethod,
  defaultPathSerializer,
  type MethodResponse,
  type RequestBodyOption,
} from 'openapi-fetch';
import type { paths } from '../../generated/api.d.ts';
import { type Answer, api, read } from './client.ts';
import type { CurlCall } from './curl.ts';

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
