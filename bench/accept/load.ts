/** Sends requests over a pool of connections, and measures how many are answered in a second. */
import { Pool } from 'undici';

export interface Load {
  url: string;
  headers?: Record<string, string>;
  body: string;
  connections: number;
  requests: number;
  expectedStatus: number;
}

/** Sends requests as fast as they are answered. Resolves with the rate; throws on an unexpected status. */
export async function requestsPerSecond(load: Load): Promise<number> {
  const { origin, pathname } = new URL(load.url);
  const pool = new Pool(origin, { connections: load.connections, pipelining: 1 });
  let left = load.requests;
  const caller = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const { statusCode, body } = await pool.request({
        path: pathname,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...load.headers },
        body: load.body,
      });
      const text = await body.text();
      if (statusCode !== load.expectedStatus) throw new Error(`${load.url} answered ${statusCode} ${text}`);
    }
  };
  const startedAtMs = performance.now();
  await Promise.all(Array.from({ length: load.connections }, caller));
  const seconds = (performance.now() - startedAtMs) / 1_000;
  await pool.close();
  return load.requests / seconds;
}
