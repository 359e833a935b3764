import { describe, expect, test } from '@jest/globals';
import type { DialectEvent, DialectObject } from '../../../../providers/dialect-adapter.ts';
import type { ResponsesBody } from '../../../../services/live/responses/responses-body.ts';
import { createResponsesService } from '../../../../services/live/responses/responses-service.ts';
import { createLiveScene, liveCall, sent, trap } from '../../../support/live-scene.ts';
import { sentText } from '../../../support/sent-text.ts';
import { nativeEvents, nativeResponse } from '../../../support/responses-upstream.ts';

/** The service over an upstream that answers so. */
function serviceOver(answer: { whole?: DialectObject; events?: DialectEvent[][] }) {
  const responses = {
    create: async () => answer.whole!,
    stream: async () => sent(answer.events!),
  };
  const scene = createLiveScene({ responses });
  return { ...scene, service: createResponsesService(scene.deps) };
}

const call = () => liveCall<ResponsesBody>({ model: 'm/one', input: 'Hi' });

describe('a response that cannot be metered', () => {
  test('fails its generation, costs nothing and leaves nothing reserved', async () => {
    const { service, rows, reserved } = serviceOver({ whole: trap(nativeResponse(), 'usage') });
    await expect(service.create(call())).rejects.toMatchObject({ code: 'internal' });
    expect(rows).toMatchObject([{ status: 'failed', costNanos: 0n }]);
    expect(reserved()).toBe(0);
  });

  test('ends its stream with response.failed and leaves nothing reserved', async () => {
    const [created, ...others] = nativeEvents();
    const { service, rows, reserved } = serviceOver({
      events: [[created!], [trap({ ...others[0]! }, 'response')]],
    });
    const { events } = await service.stream(call());
    expect(await sentText(events)).toMatch(/event: response\.failed\n.*\n\ndata: \[DONE\]\n\n$/);
    expect(rows).toMatchObject([{ status: 'failed' }]);
    expect(reserved()).toBe(0);
  });
});

describe('a stream that ends without its last event', () => {
  test('ends with response.failed and a failed row', async () => {
    const { service, rows } = serviceOver({ events: [nativeEvents().slice(0, 4)] });
    const { events } = await service.stream(call());
    expect(await sentText(events)).toContain('event: response.failed');
    expect(rows).toMatchObject([{ status: 'failed', finishReason: 'error' }]);
  });
});

describe('an item with an output_index of 2 ** 33', () => {
  test('appears in response.failed when the stream fails', async () => {
    const item = { id: 'x', type: 'message', content: [] };
    const done = { type: 'response.output_item.done', output_index: 2 ** 33, item };
    const { service } = serviceOver({ events: [nativeEvents().slice(0, 2), [done]] });
    const { events } = await service.stream(call());
    const last = (await sentText(events)).split('\n').findLast((line) => line.startsWith('data: {'))!;
    expect(JSON.parse(last.slice('data: '.length))).toMatchObject({ response: { output: [item] } });
  });
});

describe('events without sequence numbers', () => {
  test('receive sequence numbers from 0', async () => {
    const unnumbered = nativeEvents().map(({ sequence_number: _number, ...event }) => event);
    const { events } = await serviceOver({ events: [unnumbered] }).service.stream(call());
    const numbers = [...(await sentText(events)).matchAll(/"sequence_number":(\d+)/g)].map(
      ([, number]) => number,
    );
    expect(numbers).toEqual(unnumbered.map((_, index) => `${index}`));
  });
});

describe('a ledger that refuses the row of a response', () => {
  test('leaves nothing reserved and sends no response.completed', async () => {
    const { service, rows, reserved } = serviceOver({ whole: nativeResponse(), events: [nativeEvents()] });
    rows.push = () => {
      throw new Error('no room');
    };
    await expect(service.create(call())).rejects.toThrow('no room');
    const { events } = await service.stream(call());
    const told = await sentText(events);
    expect(told).toMatch(/event: error\ndata: (.*)\n\ndata: \[DONE\]\n\n$/);
    expect(told).not.toContain('event: response.completed');
    expect(reserved()).toBe(0);
  });
});
