import { describe, expect, test } from '@jest/globals';
import { readReferences, type ReferencePart } from '../../../domain/live/speech-references.ts';

const clip = (data: string): ReferencePart => ({ type: 'input_audio', input_audio: { data } });
const words = (text: string): ReferencePart => ({ type: 'text', text });
const picture: ReferencePart = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };

describe('readReferences', () => {
  test.each<[string, ReferencePart[], unknown]>([
    ['none', [], []],
    ['a picture', [picture], [{ kind: 'image', url: 'https://example.com/a.png' }]],
    ['a clip', [clip('A')], [{ kind: 'audio', data: 'A' }]],
    [
      'clips, some with their transcripts',
      [clip('A'), words('a'), clip('B'), clip('C'), words('c')],
      [
        { kind: 'audio', data: 'A', transcript: 'a' },
        { kind: 'audio', data: 'B' },
        { kind: 'audio', data: 'C', transcript: 'c' },
      ],
    ],
    [
      'a transcript before the only clip',
      [words('a'), clip('A')],
      [{ kind: 'audio', data: 'A', transcript: 'a' }],
    ],
  ])('accepts %s', (_what, parts, references) => {
    expect(readReferences(parts)).toEqual(references);
  });

  test.each<[string, ReferencePart[], number]>([
    ['two pictures', [picture, picture], 1],
    ['a picture and a clip', [picture, clip('A')], 1],
    ['a clip and a picture', [clip('A'), picture], 1],
    ['four clips', [clip('A'), clip('B'), clip('C'), clip('D')], 3],
    ['a transcript of nothing', [words('a')], 0],
    ['two transcripts of one clip', [clip('A'), words('a'), words('b')], 2],
    ['a transcript before several clips', [words('a'), clip('A'), clip('B')], 0],
  ])('refuses %s with the index of the offending part', (_what, parts, index) => {
    expect(readReferences(parts)).toMatchObject({ index });
  });
});
