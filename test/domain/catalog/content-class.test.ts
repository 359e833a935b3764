import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CLASSIFIED_CHARACTERS, classifyContent } from '../../../domain/catalog/content-class.ts';

const PYTHON = `def area(r):
    import math
    return math.pi * r ** 2

print(area(2));`;

describe('the category of a prompt', () => {
  test.each([
    ['programming', 'My Python function throws an exception, can you debug it?'],
    ['roleplay', 'Stay in character: you are a villain in a dungeon, and I am the wizard.'],
    ['marketing', 'Write a slogan and a newsletter for the launch of our brand.'],
    ['marketing/seo', 'Which keywords and backlinks help our SEO rankings?'],
    ['technology', 'My laptop cannot reach the router; is the wifi network slow?'],
    ['science', 'How does a protein fold, and which enzyme helps the molecule?'],
    ['translation', 'Translate this, and keep the translation short: good morning'],
    ['legal', 'Does this contract clause limit our liability?'],
    ['finance', 'Should my portfolio hold more bonds than stocks?'],
    ['health', 'Which dose of this medicine fits my symptoms?'],
    ['trivia', 'A quiz question: what is the tallest building and the oldest capital?'],
    ['academia', 'Outline my thesis and list the citations of the bibliography.'],
  ])('becomes %s for a typical prompt', (category, prompt) => {
    expect(classifyContent(prompt)).toEqual({ category, languageType: 'natural' });
  });

  test.each(['', 'Hello!', 'What is the capital of France?', 'Ein Gedicht über den Herbst, bitte.', '你好'])(
    'stays unknown when a prompt says too little: %j',
    (prompt) => {
      expect(classifyContent(prompt).category).toBeNull();
    },
  );

  test('requires different terms, not one repeated term', () => {
    expect(classifyContent('stocks '.repeat(100)).category).toBeNull();
  });

  test('depends on the beginning of the prompt only', () => {
    const filler = 'lorem ipsum '.repeat(CLASSIFIED_CHARACTERS / 12 + 1);
    expect(classifyContent(`${filler} contract clause liability`).category).toBeNull();
  });
});

describe('the language of a prompt', () => {
  test.each([
    ['a program', PYTHON],
    ['fenced code in prose', `What does this do?\n\n\`\`\`\nx\n\`\`\``],
    ['a query', `SELECT id FROM users\nUPDATE users SET name = 'x'`],
    ['markup and scripts', `const a = 1;\nlet b = a + 1;\nexport { a, b };`],
  ])('counts as programming for %s', (_what, prompt) => {
    expect(classifyContent(prompt).languageType).toBe('programming');
  });

  test.each([
    [
      'a letter',
      'Dear Sir,\n\nFor many years I have been your customer.\nIf you please, write back.\n\nYours',
    ],
    ['one line', 'return the books'],
    ['a list', 'Buy:\n- milk\n- bread (fresh)\n- eggs'],
  ])('counts as natural for %s', (_what, prompt) => {
    expect(classifyContent(prompt).languageType).toBe('natural');
  });
});

test('classifyContent accepts any text and ignores what is beyond its limit', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 20_000, unit: 'binary' }), (text) => {
      expect(classifyContent(text)).toEqual(classifyContent(text.slice(0, CLASSIFIED_CHARACTERS)));
    }),
  );
});
