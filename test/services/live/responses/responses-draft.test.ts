import { describe, expect, test } from '@jest/globals';
import { createBodyDraft } from '../../../../services/live/body-draft.ts';
import { draftEvent, draftResponse } from '../../../../services/live/responses/responses-draft.ts';
import { nativeEvents, nativeResponse } from '../../../support/responses-upstream.ts';

const shown = () => ({ code: 500, message: '' });
const input = [{ role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,AAAA' }] }];

describe('the logged response', () => {
  test('has the same texts, whole or as a stream', () => {
    const whole = createBodyDraft('completions', input);
    draftResponse(whole, nativeResponse());
    const streamed = createBodyDraft('completions', input);
    for (const event of nativeEvents()) draftEvent(streamed, event);
    const expected = { completion: 'Hello', reasoning: 'Hm.' };
    expect(whole.finish([], shown).output).toEqual(expected);
    expect(streamed.finish([], shown).output).toEqual(expected);
  });

  test('contains calls and no media', () => {
    const draft = createBodyDraft('completions', input);
    const call = { type: 'function_call', name: 'f', arguments: '{"x":1}' };
    draftResponse(draft, { output: [call] });
    const { input: asked, output } = draft.finish([], shown);
    expect(output.completion).toBe(JSON.stringify({ name: 'f', arguments: '{"x":1}' }));
    expect(JSON.stringify(asked)).not.toContain('AAAA');
    const streamed = createBodyDraft('completions', input);
    draftEvent(streamed, {
      type: 'response.output_item.added',
      output_index: 2,
      item: { ...call, arguments: '' },
    });
    for (const delta of ['{"x"', ':1}'])
      draftEvent(streamed, { type: 'response.function_call_arguments.delta', output_index: 2, delta });
    expect(streamed.finish([], shown).output.completion).toBe(output.completion);
  });
});
