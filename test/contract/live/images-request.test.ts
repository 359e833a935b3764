import { describe, expect, test } from '@jest/globals';
import { imagesRequest } from '../../../contract/live/images-request.ts';

const qualityOf = (fields: object) =>
  imagesRequest.parse({ model: 'local/image-1', prompt: 'A lighthouse', ...fields }).quality;

describe('the quality of an image request', () => {
  test('maps the DALL·E 3 names standard and hd to medium and high', () => {
    expect(qualityOf({ quality: 'standard' })).toBe('medium');
    expect(qualityOf({ quality: 'hd' })).toBe('high');
  });

  test('keeps known names, absence and null, and refuses unknown names', () => {
    expect(qualityOf({ quality: 'low' })).toBe('low');
    expect(qualityOf({})).toBeUndefined();
    expect(qualityOf({ quality: null })).toBeNull();
    expect(() => qualityOf({ quality: 'best' })).toThrow('Invalid option');
  });
});

describe('the size of an image request', () => {
  const rulesOf = (size: unknown) =>
    imagesRequest
      .safeParse({ model: 'local/image-1', prompt: 'A lighthouse', size })
      .error?.issues.map(({ message }) => message);
  const sides = ['must have sides of 16 to 16384 pixels, without leading zeros'];
  const names = ['must be auto, one of 512, 768, 1K, 1.5K, 2K, 4K, or WIDTHxHEIGHT in pixels'];

  test.each<[string, string[] | undefined]>([
    ['auto', undefined],
    ['2K', undefined],
    ['512', undefined],
    ['16x16384', undefined],
    ['5x5', sides],
    ['0128x128', sides],
    ['128x99999999999', sides],
    ['128x', names],
    ['3K', names],
  ])('accepts %s, or names the rule that it breaks', (size, rules) => {
    expect(rulesOf(size)).toEqual(rules);
  });
});
