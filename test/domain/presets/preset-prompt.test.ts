import { describe, expect, test } from '@jest/globals';
import { systemPromptOf, systemPromptOfChat } from '../../../domain/presets/preset-prompt.ts';

describe('the system prompt of a preset', () => {
  test.each<[unknown, string | null]>([
    ['Be brief.', 'Be brief.'],
    ['', null],
    [null, null],
    [undefined, null],
    [
      [
        { type: 'text', text: 'One.' },
        { type: 'text', text: 'Two.', cache_control: {} },
      ],
      'One.\n\nTwo.',
    ],
    [[{ type: 'text', text: '' }], null],
  ])('joins the text of blocks, and yields null for none: %j', (content, expected) => {
    expect(systemPromptOf(content as never)).toBe(expected);
  });

  test('joins the system and developer messages of a chat, at any position', () => {
    expect(
      systemPromptOfChat([
        { role: 'system', content: 'One.' },
        { role: 'user', content: 'No.' },
        { role: 'developer', content: [{ type: 'text', text: 'Two.' }, { type: 'image_url' }] },
        { role: 'system', content: null },
      ]),
    ).toBe('One.\n\nTwo.');
    expect(systemPromptOfChat([{ role: 'user', content: 'No.' }])).toBeNull();
    expect(systemPromptOfChat(null)).toBeNull();
  });
});
