import { describe, expect, test } from '@jest/globals';
import type { DialectEvent, DialectObject } from '../../../../providers/dialect-adapter.ts';
import type { MessagesBody } from '../../../../services/live/messages/messages-body.ts';
import { createMessagesService } from '../../../../services/live/messages/messages-service.ts';
import { createLiveScene, type LiveScene, liveCall, sent, trap } from '../../../support/live-scene.ts';
import { sentText } from '../../../support/sent-text.ts';

type Json = Record<string, unknown>;

interface Answers {
  whole?: DialectObject;
  events?: DialectEvent[];
}

/** The service over an upstream of the dialect that answers so, every event by itself. */
function serviceOver({ whole, events }: Answers) {
  const messages = {
    create: async () => whole!,
    stream: async () => sent(structuredClone(events!).map((event) => [event])),
  };
  const scene = createLiveScene({ messages });
  return { ...scene, service: createMessagesService(scene.deps) };
}

const call = () =>
  liveCall<MessagesBody>({ model: 'm/one', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] });

const START: DialectEvent = {
  type: 'message_start',
  message: { id: 'msg_1', usage: { input_tokens: 40, output_tokens: 1 } },
};
const BLOCK: DialectEvent[] = [
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'x'.repeat(80) } },
  { type: 'content_block_stop', index: 0 },
];
const end = (usage?: Json): DialectEvent => ({
  type: 'message_delta',
  delta: { stop_reason: 'end_turn' },
  ...(usage === undefined ? {} : { usage }),
});

/** What the caller of a stream is told. */
async function told(service: ReturnType<typeof serviceOver>['service']): Promise<Json[]> {
  const { events } = await service.stream(call());
  return (await sentText(events))
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)) as Json);
}

async function streamed(...events: DialectEvent[]): Promise<LiveScene & { events: Json[] }> {
  const { service, ...scene } = serviceOver({ events });
  return { ...scene, events: await told(service) };
}

describe('a stream of messages', () => {
  test('sends a late ping before the last message_delta and completes', async () => {
    const { events, rows } = await streamed(START, ...BLOCK, end({ output_tokens: 20 }), { type: 'ping' });
    expect(events.slice(-3).map(({ type }) => type)).toEqual(['ping', 'message_delta', 'message_stop']);
    expect(rows).toMatchObject([{ status: 'completed', usage: { prompt: 40, completion: 20 } }]);
  });

  test('has the cost in its last message_delta only', async () => {
    const twice = [end({ output_tokens: 7 }), end({ output_tokens: 20 })];
    const { events, rows } = await streamed(START, ...BLOCK, ...twice);
    const ends = events.filter(({ type }) => type === 'message_delta');
    expect(ends.map(({ usage }) => 'cost' in (usage as Json))).toEqual([false, true]);
    expect(rows).toMatchObject([{ usage: { completion: 20 } }]);
  });

  test('costs the text that was sent when only message_start has counts', async () => {
    const { rows } = await streamed(START, ...BLOCK, end());
    expect(rows).toMatchObject([{ status: 'completed', usage: { prompt: 40, completion: 20 } }]);
  });

  test('fails and is billed once when it ends without message_delta', async () => {
    const { events, rows, reserved } = await streamed(START, ...BLOCK);
    expect(events.at(-1)).toMatchObject({ type: 'error' });
    expect(rows).toMatchObject([{ status: 'failed', finishReason: 'error', usage: { prompt: 40 } }]);
    expect(reserved()).toBe(0);
  });
});

describe('a conversation that the vendor compacted', () => {
  const iterations = [{ type: 'compaction', input_tokens: 5_000, output_tokens: 300 }];
  const usage = { input_tokens: 40, output_tokens: 20, iterations };

  test("costs the compaction's tokens too and shows the vendor's counts", async () => {
    const whole = { id: 'msg_1', content: [], stop_reason: 'end_turn', usage };
    const { service, rows } = serviceOver({ whole: structuredClone(whole), events: [START, end(usage)] });
    const { answer } = await service.create(call());
    const events = await told(service);
    for (const shown of [(answer as DialectObject)['usage'], events.at(-2)!['usage']])
      expect(shown).toMatchObject({ ...usage, cost: 5.36, cache_creation: null, server_tool_use: null });
    expect(rows).toMatchObject([
      { usage: { prompt: 5_040, completion: 320 } },
      { usage: { prompt: 5_040, completion: 320 } },
    ]);
  });
});

describe('a messages call that fails after its answer', () => {
  test('leaves one free row and no reservation when its meter fails', async () => {
    const { service, rows, reserved } = serviceOver({ whole: trap({ content: [] }, 'usage') });
    await expect(service.create(call())).rejects.toMatchObject({ code: 'internal' });
    expect(rows).toMatchObject([{ status: 'failed', costNanos: 0n }]);
    expect(reserved()).toBe(0);
  });

  test('leaves no reservation and sends no message_stop when the ledger fails', async () => {
    const whole = { content: [], stop_reason: 'end_turn' };
    const events = [START, ...BLOCK, end({ output_tokens: 20 })];
    const { service, rows, reserved } = serviceOver({ whole, events });
    rows.push = () => {
      throw new Error('no room');
    };
    await expect(service.create(call())).rejects.toThrow('no room');
    const seen = await told(service);
    expect(seen.at(-1)).toMatchObject({ type: 'error' });
    expect(seen.some(({ type }) => type === 'message_stop')).toBe(false);
    expect(reserved()).toBe(0);
  });
});
