/** Plays a vendor that bends OpenAI's wire, with answers that a test scripts. */
import { afterAll, beforeAll } from '@jest/globals';
import { addChatModel } from './catalog.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { type VendorServer, sendJson, startVendorServer } from './vendor-server.ts';

const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

/** The answer of a bent vendor: the message of a whole answer, and the events of a stream. */
export interface BentAnswer {
  /** The choice of a whole answer. */
  choice: object;
  /** The events of a stream, without the head that all share. */
  events: object[];
  usage?: object | null;
  /** The service tier that the vendor says it served. */
  tier?: string | undefined;
}

/** Returns an event with a piece of a message. */
export const piece = (delta: object, finish: string | null = null): object => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
});

/** Returns a tool call, or a piece of one, with the given fields. */
export const called = (
  index: number | undefined,
  id: string | undefined,
  name: string | undefined,
  given: unknown,
) => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id, type: 'function' }),
  function: { ...(name === undefined ? {} : { name }), ...(given === undefined ? {} : { arguments: given }) },
});

/** Returns an event with pieces of tool calls. */
export const calling = (...pieces: object[]) => piece({ tool_calls: pieces });

/** Returns the choice of a whole answer. */
export const whole = (message: object, finish: string | null = 'tool_calls') => ({
  index: 0,
  message: { role: 'assistant', content: null, ...message },
  finish_reason: finish,
});

export interface BentVendor extends VendorServer {
  /** Answers chats like this from now on. */
  bend(answer: BentAnswer): void;
}

export async function startBentVendor(): Promise<BentVendor> {
  const server = (await startVendorServer()) as BentVendor;
  server.bend = ({ choice, events, usage = USAGE, tier }) => {
    server.answer = ({ body }, response) => {
      const head = { id: 'chatcmpl-1', created: 1_790_000_000, model: 'bent', service_tier: tier };
      if (!body.includes('"stream":true'))
        return sendJson(response, 200, { ...head, object: 'chat.completion', choices: [choice], usage });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const last = usage === null ? [] : [{ choices: [], usage }];
      const chunks = [...events, ...last].map((event) => JSON.stringify({ ...head, ...event }));
      response.end([...chunks, '[DONE]'].map((data) => `data: ${data}\n\n`).join(''));
    };
  };
  return server;
}

/** Opens and closes a bent vendor, and a gateway whose model of this id it serves, for the tests of a suite. */
export function useBentVendor(model: string, begin: (gateway: Gateway, vendor: BentVendor) => unknown): void {
  let gateway: Gateway;
  let vendor: BentVendor;
  beforeAll(async () => {
    vendor = await startBentVendor();
    gateway = await startGateway();
    const endpoint = { provider: 'bent', adapter: 'openai-compatible', baseUrl: vendor.baseUrl };
    await addChatModel(gateway, model, [endpoint]);
    begin(gateway, vendor);
  });
  afterAll(async () => {
    await gateway.close();
    await vendor.close();
  });
}
