import { describe, expect, test } from '@jest/globals';
import { hasMaskedPart, maskUrl, secretPartsOf } from '../../../domain/broadcast/masked-url.ts';

const LONG = 'Xk3v-0123456789-pQ9z';

describe('the masked URL of a destination or webhook', () => {
  test.each([
    ['https://app.example', 'https://app.example'],
    ['https://app.example/', 'https://app.example/'],
    ['https://app.example/hooks/', 'https://app.example/.../'],
    ['https://app.example//hooks', 'https://app.example//...'],
    ['https://app.example\\hooks', 'https://app.example/...'],
    [`https://app.example:444/${LONG}`, 'https://app.example:444/Xk3v...pQ9z'],
    ['https://app.example?token', 'https://app.example/?...'],
    ['https://app.example?token=', 'https://app.example?token='],
    ['https://app.example?a=1&b=2=3&&c', 'https://app.example/?a=...&b=...&&...'],
    [`https://app.example?t=${encodeURIComponent(`ä${LONG}`)}`, 'https://app.example/?t=%C3%...pQ9z'],
    ['https://app.example/v1/traces', 'https://app.example/.../...'],
    ['no URL', '...'],
  ])('turns %s into %s for a webhook', (url, mask) => {
    expect(maskUrl('webhook', url)).toBe(mask);
  });

  test('shows the number of a Sentry project in its place only', () => {
    const path = '/integration/otlp/v1/traces';
    expect(maskUrl('sentry', `https://sentry.example/api/42${path}`)).toContain(`/api/42${path}`);
    expect(maskUrl('sentry', `https://sentry.example/42/api/secret${path}`)).toContain(`/.../api/...${path}`);
  });

  test('leaves a mask that hasMaskedPart recognizes in any part of a URL', () => {
    for (const url of ['https://app.example/a/...', 'https://app.example/?a=1&b=abcd...wxyz']) {
      expect(hasMaskedPart(url)).toBe(true);
    }
    for (const url of ['https://app.example/a...b', 'https://...', 'https://app.example/?...=1']) {
      expect(hasMaskedPart(url)).toBe(false);
    }
  });
});

test('secretPartsOf returns the parts of a URL that its mask hides', () => {
  expect(secretPartsOf('https://app.example/a/v1/traces?key=b&c')).toEqual(['a', 'b', 'c']);
});
