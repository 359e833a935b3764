import type { ServerResponse } from 'node:http';
import { TEXT_EXCHANGES } from '../providers/text-exchanges.ts';
import { sendJson, type VendorCall } from './vendor-server.ts';

/** The operation at the end of each path. */
const OPERATIONS = { completions: 'chat', messages: 'messages', responses: 'responses' } as const;

/** Answers "Hello" on the wire of the request's path, whole or streamed as it was asked for. */
export function answerOnAnyWire({ path, body }: VendorCall, response: ServerResponse): void {
  const operation = OPERATIONS[path.split('/').at(-1) as keyof typeof OPERATIONS];
  const isStream = body.includes('"stream":true');
  const { answer } = TEXT_EXCHANGES.find(
    (each) => each.operation === (isStream ? `a stream of ${operation}` : operation),
  )!;
  if (!isStream) return sendJson(response, 200, answer);
  const events = (answer as unknown[]).map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const end = operation === 'chat' ? 'data: [DONE]\n\n' : '';
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`${events.join('')}${end}`);
}
