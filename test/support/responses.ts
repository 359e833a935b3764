import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { responsesEvent } from '../../contract/live/responses-result.ts';
import { type Caller, createCaller } from './caller.ts';
import type { Gateway } from './gateway.ts';
import type { ResponseEvent, ShownResponse } from './response-events.ts';

/** `POST /responses` with the regular key; the answer is held against the contract. */
export function askResponse(
  { origin, apiKey }: Gateway,
  body: object,
  caller: Caller = createCaller(origin, apiKey),
): Promise<Response> {
  return caller.call('POST', '/responses', {
    body: { model: 'local/echo-1', input: 'Hello there', ...body },
  });
}

/** The answer of a request that must succeed. */
export async function responded(response: Response): Promise<ShownResponse> {
  const text = await response.text();
  strictEqual(response.status, 200, text);
  return JSON.parse(text) as ShownResponse;
}

/** A whole stream: every event under its name and held against the contract, and `[DONE]` at its end. */
export async function readResponseEvents(response: Response): Promise<ResponseEvent[]> {
  strictEqual(response.status, 200);
  const events = (await response.text()).split('\n\n');
  strictEqual(events.pop(), '', 'the last event is whole');
  strictEqual(events.pop(), 'data: [DONE]');
  return events.map((event) => {
    const [name, data] = event.split('\n');
    const told = JSON.parse(data!.slice('data: '.length)) as ResponseEvent;
    strictEqual(name, `event: ${told.type}`);
    deepStrictEqual(responsesEvent.parse(told), told);
    return told;
  });
}
