import { request } from 'undici';
import type { Caller } from './caller.ts';
import { auditAnswer } from './contract-audit.ts';

/** Calls under another name of the gateway, which `fetch` does not let anybody choose. */
export function createHostCaller(origin: string, token: string, host: string): Caller {
  return {
    async call(method, path, { body, headers = {} } = {}) {
      const url = new URL(`/api/v1${path}`, origin);
      const answer = await request(url, {
        method: method as 'GET',
        headers: {
          host,
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await answer.body.text();
      const response = new Response(text === '' ? null : text, {
        status: answer.statusCode,
        headers: Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
      });
      await auditAnswer(method, url, response);
      return response;
    },
  };
}
