import { describe, expect, test } from '@jest/globals';
import { withoutEmbeddedMedia, withoutMedia } from '../../../../services/ledger/bodies/without-media.ts';

const PIXEL = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==';

describe('the removal of media', () => {
  test('takes data URLs and bytes out of every part and keeps all text', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: PIXEL, detail: 'low' } },
          { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } },
          { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
          { type: 'file', file: { file_data: 'JVBERi0xLjQK', filename: 'a.pdf' } },
        ],
      },
    ];
    const before = structuredClone(messages);
    expect(withoutMedia(messages)).toEqual([
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: '[image/png removed]', detail: 'low' } },
          { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } },
          { type: 'input_audio', input_audio: { data: '[removed]', format: 'wav' } },
          { type: 'file', file: { file_data: '[removed]', filename: 'a.pdf' } },
        ],
      },
    ]);
    expect(messages).toEqual(before);
  });

  test.each(['data: the results were good', 'data:', 'data:image', 'DATA', ''])(
    'keeps %j, which is text',
    (text) => {
      expect(withoutMedia({ content: text })).toEqual({ content: text });
      expect(withoutEmbeddedMedia(JSON.stringify(text))).toBe(JSON.stringify(text));
    },
  );

  test('finds media in the middle of a text and in JSON within JSON', () => {
    const text = `See ![a](${PIXEL}) and "data:audio/wav;codecs=1;base64,UklGRg==" here`;
    for (const shown of [text, JSON.stringify(text), JSON.stringify(JSON.stringify({ text }))]) {
      const clean = withoutEmbeddedMedia(shown);
      expect(clean).toContain('![a]([image/png removed]) and');
      expect(clean).toContain('[audio/wav removed]');
      expect(clean).not.toContain('base64');
    }
  });

  test('takes linear time on a hostile text', () => {
    const hostile = `data:a/b${';x'.repeat(500_000)}${'data:image/png;base64'.repeat(50_000)}`;
    expect(withoutEmbeddedMedia(hostile)).toBe(hostile);
  });
});
