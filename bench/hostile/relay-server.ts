/** Serves the chats of the relay attack: it answers each chat by calling the gateway again, and counts what happens. */
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request as send } from 'undici';

export interface RelayCounts {
  hops: number;
  /** The most hops at the same time. */
  most: number;
  /** The answers of the gateway by status, and `no answer`. */
  statuses: Record<string, number>;
}

/** The pause after an error. The relay then asks again, so that the chain of requests does not end. */
const PAUSE_MS = 100;

/** Without a fallback to an endpoint of the operator, which would end the chain. */
const CHAT = {
  model: 'local/echo-1',
  messages: [{ role: 'user', content: 'x' }],
  provider: { allow_fallbacks: false },
};

const [port, origin, token] = process.argv.slice(2);
const counts: RelayCounts = { hops: 0, most: 0, statuses: {} };
const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
let now = 0;

async function callGateway(): Promise<{ status: number; text: string }> {
  const answer = await send(`${origin}/api/v1/chat/completions`, {
    method: 'POST',
    dispatcher,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(CHAT),
  });
  return { status: answer.statusCode, text: await answer.body.text() };
}

/** Calls the gateway until it answers 200 or the caller has left. */
async function relay(response: ServerResponse): Promise<void> {
  counts.hops += 1;
  now += 1;
  counts.most = Math.max(counts.most, now);
  response.once('close', () => (now -= 1));
  for (;;) {
    const answer = await callGateway().catch(() => ({ status: 'no answer', text: '' }));
    counts.statuses[answer.status] = (counts.statuses[answer.status] ?? 0) + 1;
    if (answer.status === 200) return void response.end(answer.text);
    if (response.destroyed) return;
    await delay(PAUSE_MS);
  }
}

createServer((request, response) => {
  request.resume();
  if (request.method === 'GET') return void response.end(JSON.stringify(counts));
  void relay(response);
}).listen(Number(port), '127.0.0.1');
