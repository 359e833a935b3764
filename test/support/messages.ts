import { strictEqual } from 'node:assert/strict';
import { messageEvent, type MessageBody } from '../../contract/live/messages-answer.ts';
import { type Caller, createCaller } from './caller.ts';
import type { Gateway } from './gateway.ts';

/** `POST /messages` with the regular key; the answer is held against the contract. */
export function askMessage(
  { origin, apiKey }: Gateway,
  body: object,
  caller: Caller = createCaller(origin, apiKey),
  headers: Record<string, string> = {},
): Promise<Response> {
  const messages = [{ role: 'user', content: 'Hello there' }];
  const whole = { model: 'local/echo-1', max_tokens: 100, messages, ...body };
  return caller.call('POST', '/messages', { body: whole, headers });
}

/** The answer of a request that must succeed. */
export async function messageIn(response: Response): Promise<MessageBody> {
  const text = await response.text();
  strictEqual(response.status, 200, text);
  return JSON.parse(text) as MessageBody;
}

export interface MessageEvent {
  type: string;
  index?: number;
  message?: MessageBody;
  content_block?: Record<string, unknown>;
  delta?: Record<string, unknown>;
  usage?: Record<string, unknown>;
  error?: { type: string; message: string };
  request_id?: string | null;
}

/** A whole stream: every event named as its data say, and held against the contract. */
export async function readMessageEvents(response: Response): Promise<MessageEvent[]> {
  const text = await response.text();
  strictEqual(response.status, 200, text);
  const events = text.split('\n\n');
  strictEqual(events.pop(), '', 'the last event is whole');
  return events.map((event) => {
    const [name = '', data = ''] = event.split('\n');
    const value = messageEvent.parse(JSON.parse(data.slice('data: '.length))) as MessageEvent;
    strictEqual(name, `event: ${value.type}`);
    return value;
  });
}

/** What the deltas of one kind say, put together. */
export function saidIn(events: MessageEvent[], field = 'text'): string {
  return events
    .map(({ delta }) => delta?.[field])
    .filter((piece) => typeof piece === 'string')
    .join('');
}

export interface MessagesWireError {
  type: 'error';
  error: { type: string; message: string; metadata: { reason: string; issues?: { path: string }[] } };
  request_id: string | null;
}

/** The error of an answer that must be one. */
export async function messagesErrorOf(response: Response): Promise<MessagesWireError> {
  const text = await response.text();
  if (response.status < 400) throw new Error(`no error but ${response.status}: ${text}`);
  return JSON.parse(text) as MessagesWireError;
}
