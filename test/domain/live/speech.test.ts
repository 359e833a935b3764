import { describe, expect, test } from '@jest/globals';
import type { SpeechCapabilities } from '../../../domain/catalog/catalog.ts';
import { type RequestedSpeech, ownVoice, speechIssues } from '../../../domain/live/speech.ts';

const plain: SpeechCapabilities = {
  voices: ['alto', 'bass'],
  formats: ['pcm'],
  turns: false,
  instructions: false,
  speed: null,
  references: [],
};
const able: SpeechCapabilities = {
  voices: null,
  formats: ['pcm', 'mp3'],
  turns: true,
  instructions: true,
  speed: { min: 0.5, max: 2 },
  references: ['audio'],
};
const asked: RequestedSpeech = { input: 'Hello', format: 'pcm', references: [] };
const clip = { kind: 'audio', data: 'AAAA' } as const;
const picture = { kind: 'image', url: 'https://example.com/a.png' } as const;

function paths(can: SpeechCapabilities, change: Partial<RequestedSpeech>): string[] {
  return speechIssues(can, { ...asked, ...change }).map(({ path }) => path);
}

describe('ownVoice', () => {
  const voiceAliases = { alloy: 'alto', bass: 'alto' };

  test.each<[string, SpeechCapabilities, string, string]>([
    ['is that voice', { ...plain, voiceAliases }, 'alloy', 'alto'],
    ['gives way to a voice of that name', { ...plain, voiceAliases }, 'bass', 'bass'],
    ['is known where any voice is taken', { ...able, voiceAliases }, 'bass', 'alto'],
    ['is itself where nobody knows it', { ...plain, voiceAliases }, 'onyx', 'onyx'],
    ['is no property of objects', { ...plain, voiceAliases }, 'constructor', 'constructor'],
    ['is itself without a table', plain, 'alloy', 'alloy'],
  ])('an alias %s', (_what, can, name, voice) => {
    expect(ownVoice(can, name)).toBe(voice);
  });

  test('an alias passes validation for the whole text and for a turn', () => {
    const can = { ...plain, turns: true, voiceAliases };
    expect(paths(can, { voice: 'alloy', input: [{ text: 'Hi', voice: 'alloy' }] })).toEqual([]);
    expect(paths(can, { voice: 'onyx' })).toEqual(['body.voice']);
  });
});

describe('speechIssues', () => {
  test.each<[string, Partial<RequestedSpeech>, string[]]>([
    ['a plain text', {}, []],
    ['one of its voices', { voice: 'bass' }, []],
    ['the usual speed', { speed: 1 }, []],
    ['a voice it does not have', { voice: 'tenor' }, ['body.voice']],
    ['another speed', { speed: 1.1 }, ['body.speed']],
    ['another format', { format: 'mp3' }, ['body.response_format']],
    ['instructions', { instructions: 'Slowly' }, ['body.instructions']],
    ['turns', { input: [{ text: 'Hi' }] }, ['body.input']],
    ['references', { references: [clip] }, ['body.input_references']],
    [
      'a voice of a turn that it does not have',
      {
        input: [
          { text: 'Hi', voice: 'alto' },
          { text: 'Ho', voice: 'x' },
        ],
      },
      ['body.input.1.voice', 'body.input'],
    ],
    [
      'instructions for a turn',
      { input: [{ text: 'Hi' }, { text: 'Ho', instructions: 'Low' }] },
      ['body.input', 'body.input.1.instructions'],
    ],
  ])('finds the issues of %s for a model that supports few parameters', (_what, change, issues) => {
    expect(paths(plain, change)).toEqual(issues);
  });

  test.each<[string, Partial<RequestedSpeech>, string[]]>([
    ['any voice', { voice: 'whoever' }, []],
    ['instructions and turns', { instructions: 'Slowly', input: [{ text: 'Hi' }] }, []],
    ['a speed at either end', { speed: 0.5 }, []],
    ['a speed beyond', { speed: 2.01 }, ['body.speed']],
    ['clips', { references: [clip, clip] }, []],
    ['a picture, when it takes clips only', { references: [picture] }, ['body.input_references']],
  ])('finds the issues of %s for a model that supports many parameters', (_what, change, issues) => {
    expect(paths(able, change)).toEqual(issues);
  });

  test("refuses a turn's instructions for a model with turns but no instructions", () => {
    const can = { ...able, instructions: false };
    expect(paths(can, { input: [{ text: 'Hi', instructions: 'Low' }] })).toEqual([
      'body.input.0.instructions',
    ]);
  });

  test("lists the model's voices in the message about an unknown voice", () => {
    const [voice] = speechIssues(plain, { ...asked, voice: 'x' });
    expect(voice?.message).toBe('must be one of alto, bass for this model');
  });
});
