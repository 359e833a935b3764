import { describe, expect, test } from '@jest/globals';
import { imagesRequest } from '../../contract/images-request.ts';

const qualityOf = (fields: object) =>
  imagesRequest.parse({ model: 'local/image-1', prompt: 'A lighthouse', ...fields }).quality;

describe('the quality of an image request', () => {
  test('may have the names that clients made for DALL·E 3 send', () => {
    expect(qualityOf({ quality: 'standard' })).toBe('medium');
    expect(qualityOf({ quality: 'hd' })).toBe('high');
  });

  test('keeps all other names, and may be absent or null', () => {
    expect(qualityOf({ quality: 'low' })).toBe('low');
    expect(qualityOf({})).toBeUndefined();
    expect(qualityOf({ quality: null })).toBeNull();
    expect(() => qualityOf({ quality: 'best' })).toThrow('Invalid option');
  });
});
