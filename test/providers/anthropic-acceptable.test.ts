import { describe, expect, test } from '@jest/globals';
import { toAcceptable } from '../../providers/anthropic/acceptable-request.ts';

const user = (content: unknown) => ({ role: 'user', content });
const text = (words: string) => ({ type: 'text', text: words });

describe('a request to Anthropic', () => {
  test.each(['', '  ', '\n', '\t \r\n'])('drops blank texts and empty messages: %j', (blank) => {
    const messages = [
      user([text(blank), text('Hi')]),
      { role: 'assistant', content: blank },
      { role: 'assistant', content: null },
      { role: 'assistant', content: [text(blank)] },
      user([{ type: 'tool_result', tool_use_id: 'a', content: [text(blank), text('done')] }]),
    ];
    const before = structuredClone(messages);
    const acceptable = toAcceptable({ messages, system: blank });
    expect(messages).toEqual(before);
    expect(acceptable).toEqual({
      messages: [
        user([text('Hi')]),
        user([{ type: 'tool_result', tool_use_id: 'a', content: [text('done')] }]),
      ],
    });
  });

  test('keeps the texts of a system prompt that are not blank', () => {
    expect(toAcceptable({ system: [text(' '), text('Be brief ')] })).toEqual({ system: [text('Be brief ')] });
    expect(toAcceptable({ system: [text('\n')] })).toEqual({});
  });

  test('gives calls and results the same valid ids, and distinct calls distinct ids', () => {
    const ids = ['functions.look:0', 'functions.look:1', 'functions_look_0', 'x'.repeat(65), 'é', 'valid-1'];
    const asked = ids.map((id) => ({ type: 'tool_use', id, name: 'look', input: {} }));
    const results = ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'done' }));
    const [first, second] = toAcceptable({
      messages: [{ role: 'assistant', content: asked }, user(results)],
    }).messages;
    const used = (first!.content as { id: string }[]).map(({ id }) => id);
    expect((second!.content as { tool_use_id: string }[]).map(({ tool_use_id: id }) => id)).toEqual(used);
    expect(new Set(used).size).toBe(ids.length);
    expect(used.every((id) => /^[a-zA-Z0-9_-]{1,64}$/.test(id))).toBe(true);
    expect(used.at(-1)).toBe('valid-1');
    expect(used[2]).toBe('functions_look_0');
  });
});
