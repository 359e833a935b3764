import { describe, expect, test } from '@jest/globals';
import { ResponsesMeter, meterOf } from '../../../../services/live/responses/responses-meter.ts';
import { nativeEvents, nativeResponse } from '../../../support/responses-upstream.ts';

const COUNTED = { prompt: 11, completion: 6, cacheRead: 4, reasoning: 2 };

describe('the meter of a response', () => {
  test('returns the same usage for a whole response and for a stream', () => {
    const streamed = new ResponsesMeter();
    for (const event of nativeEvents()) streamed.addEvent(event);
    for (const meter of [streamed, meterOf(nativeResponse())]) {
      expect(meter.usage(99, true)).toEqual(COUNTED);
      expect(meter).toMatchObject({ finishReason: 'stop', upstreamId: 'resp_upstream', toolCalls: 0 });
    }
  });

  test('estimates an uncounted response from all its text and calls', () => {
    const call = { type: 'function_call', arguments: 'x'.repeat(40) };
    const { output } = nativeResponse() as { output: object[] };
    const without = meterOf(nativeResponse({ usage: null })).usage(9, true);
    const withCall = meterOf(nativeResponse({ usage: null, output: [...output, call] })).usage(9, true);
    expect(without.prompt).toBe(9);
    expect(withCall.completion - without.completion).toBe(10);
  });

  test('counts at least the text that passed when a stream breaks off', () => {
    const meter = new ResponsesMeter();
    const usage = { input_tokens: 500, output_tokens: 1 };
    meter.addEvent({ type: 'response.in_progress', response: { id: 'r', status: 'in_progress', usage } });
    meter.addEvent({ type: 'response.output_text.delta', delta: 'x'.repeat(80) });
    expect(meter.usage(9, false)).toEqual({ prompt: 500, completion: 20 });
  });

  test('takes an empty id and an empty tier for none', () => {
    const meter = new ResponsesMeter();
    meter.addEvent({ type: 'response.created', response: { id: '', service_tier: 'flex' } });
    meter.addEvent({ type: 'response.completed', response: { id: 'resp_late', service_tier: '' } });
    expect(meter).toMatchObject({ upstreamId: 'resp_late', serviceTier: 'flex' });
  });

  test.each([
    [{ type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }, ['text']],
    [{ type: 'image_generation_call', result: 'AAAA' }, ['text', 'image']],
    [{ type: 'message', content: [{ type: 'output_audio', data: 'AAAA' }] }, ['text', 'audio']],
  ])('notes what the answer contains: %j', (item, modalities) => {
    expect(meterOf(nativeResponse({ output: [item, item] })).outputModalities).toEqual(modalities);
  });

  test('notes streamed sound, and does not count its bytes as text', () => {
    const meter = new ResponsesMeter();
    meter.addEvent({ type: 'response.audio.delta', delta: 'A'.repeat(800) });
    expect(meter.outputModalities).toEqual(['text', 'audio']);
    expect(meter.usage(9, false)).toEqual({ prompt: 9, completion: 0 });
  });

  test.each([
    [{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }, 'max_output_tokens'],
    [{ status: 'incomplete', incomplete_details: null }, 'length'],
    [{ status: 'completed', output: [{ type: 'custom_tool_call' }] }, 'tool_calls'],
  ])('takes the finish reason from %j', (facts, reason) => {
    expect(meterOf(nativeResponse(facts)).finishReason).toBe(reason);
  });
});
