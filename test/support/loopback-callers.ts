/** Calls from other loopback addresses, which stand for callers in other places. */
import { once } from 'node:events';
import { Agent, request } from 'node:http';

export interface LoopbackRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: object;
}

export interface LoopbackAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Sends a request from an address, over a connection of its own. */
export async function callFrom(
  localAddress: string,
  url: URL | string,
  { method = 'GET', headers = {}, body }: LoopbackRequest = {},
): Promise<LoopbackAnswer> {
  const sent = request(url, {
    agent: new Agent({ keepAlive: false }),
    localAddress,
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = await once(sent, 'response');
  const chunks: Buffer[] = await response.toArray();
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks).toString() };
}
