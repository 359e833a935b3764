import { describe, expect, test } from '@jest/globals';
import { messageWeight, textWeight, tokensOfWeight } from '../../../services/live/token-estimate.ts';

const tokensOf = (text: string) => tokensOfWeight(textWeight(text));

describe('the estimated tokens of a text', () => {
  test.each([
    ['English', 'The river rose in the night and took the bridge with it.', 14, 14],
    ['nothing', '', 0, 0],
    ['a letter', 'a', 1, 1],
    ['Chinese', '河水在夜里上涨，把桥冲走了。', 12, 16],
    ['Japanese', '夜のうちに川が増水し、橋を流した。', 13, 20],
    ['Korean', '밤사이 강물이 불어나 다리를 쓸어 갔다.', 14, 22],
    ['Russian', 'Ночью река поднялась и снесла мост.', 9, 22],
    ['emoji', '🎬🎬🎬🎬🎬🎬🎬🎬', 8, 16],
  ])("stay close to a vendor's count for %s", (_what, text, least, most) => {
    expect(tokensOf(text)).toBeGreaterThanOrEqual(least);
    expect(tokensOf(text)).toBeLessThanOrEqual(most);
  });

  test('stay the same for the pieces of a text, unless a surrogate pair is cut', () => {
    const text = 'Grüße, 世界 🎬 — and so on.';
    const whole = textWeight(text);
    const pieces = Array.from(text).reduce((sum, piece) => sum + textWeight(piece), 0);
    expect(pieces).toBe(whole);
    expect(textWeight('🎬'.slice(0, 1)) + textWeight('🎬'.slice(1))).toBeGreaterThanOrEqual(textWeight('🎬'));
  });

  test('include all texts of a message', () => {
    const content = [{ type: 'text', text: 'abcd' }, { type: 'image_url' }, null];
    expect(messageWeight({ content, reasoning: 'efgh', refusal: 'ijkl' })).toBe(24);
    expect(messageWeight({ content: 'abcd', reasoning: 7, refusal: null })).toBe(8);
  });
});
