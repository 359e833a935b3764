import { ok, strictEqual } from 'node:assert/strict';

const COMMENT = ': SLUICE PROCESSING\n\n';

/** Returns the stream without its comments. It must begin with one, which left before any upstream had answered. */
export async function withoutComments(response: Response): Promise<Response> {
  const text = await response.text();
  strictEqual(response.status, 200, text);
  strictEqual(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  ok(text.startsWith(COMMENT), text.slice(0, 200));
  return new Response(text.replaceAll(COMMENT, ''), { headers: response.headers });
}
