/** Calls the API of the gateway, with types from its OpenAPI document. */
import createClient from 'openapi-fetch';
import { asProblem, problemOf } from './problem.ts';
import type { paths } from '../../generated/api.d.ts';

export const API_BASE = '/api/v1';

let csrfToken: string | undefined;

/** Keeps the session's token against forged requests. It lives in this module only, never in the browser's storage. */
export function keepCsrfToken(token: string | undefined): void {
  csrfToken = token;
}

/** Returns the headers that a call by cookie needs, beside those of its body. */
export function sessionHeaders(method: string, actingKey?: string): Record<string, string> {
  return {
    ...(method !== 'GET' && csrfToken !== undefined ? { 'Sluice-CSRF-Token': csrfToken } : {}),
    ...(actingKey === undefined ? {} : { 'Sluice-Acting-Key': actingKey }),
  };
}

/** The typed client: `api.GET('/keys', { params: { query } })`. Pass its result to `read`. */
export const api = createClient<paths>({ baseUrl: API_BASE, credentials: 'same-origin' });

api.use({
  onRequest({ request }) {
    for (const [name, value] of Object.entries(sessionHeaders(request.method)))
      request.headers.set(name, value);
    return request;
  },
});

export interface Answer<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** Resolves with the body of a successful call. Rejects with a Problem otherwise. */
export async function read<Data>(call: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await call.catch((thrown: unknown) => {
    if (thrown instanceof DOMException && thrown.name === 'AbortError') throw thrown;
    throw asProblem(thrown);
  });
  if (!response.ok) throw problemOf(response, error);
  return data as Data;
}
