import { auditAnswer } from './contract-audit.ts';
import type { CallOptions } from './gateway.ts';

/** Whoever makes requests: a gateway, or a caller with a key of its own. */
export interface Caller {
  call(method: string, path: string, options?: CallOptions): Promise<Response>;
}

/** Calls with one key, or without any, and holds every answer against the contract. */
export function createCaller(origin: string, token?: string): Caller {
  return {
    async call(method, path, { body, headers = {} } = {}) {
      const url = new URL(path.startsWith('/api/') ? path : `/api/v1${path}`, origin);
      const response = await fetch(url, {
        method,
        redirect: 'manual',
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      await auditAnswer(method, url, response);
      return response;
    },
  };
}

/** All that a client sees of an answer, but for the id of the request and the time of day. */
export async function visibleParts(
  response: Response,
): Promise<{ status: number; headers: Record<string, string>; body: string }> {
  const { 'x-request-id': _id, date: _date, ...headers } = Object.fromEntries(response.headers);
  return { status: response.status, headers, body: await response.text() };
}

/** The error of an answer that must be one. */
export interface WireError {
  code: number;
  message: string;
  metadata: {
    reason: string;
    retryable: boolean;
    issues?: { path: string; message: string }[];
    nearest_models?: string[];
    affordable_tokens?: number;
  };
}

export async function errorOf(response: Response): Promise<WireError> {
  const text = await response.text();
  if (response.status < 400) throw new Error(`no error but ${response.status}: ${text}`);
  return (JSON.parse(text) as { error: WireError }).error;
}
