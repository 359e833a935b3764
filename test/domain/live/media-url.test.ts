import { expect, test } from '@jest/globals';
import { normalizeMediaUrl } from '../../../domain/live/media-url.ts';

test.each([
  ['DATA:IMAGE/PNG;BASE64,AaBb', 'data:image/png;base64,AaBb'],
  ['Data:audio/ogg;codecs=Opus;Base64,AA==', 'data:audio/ogg;codecs=Opus;base64,AA=='],
  ['data:image/jpg;base64,AaBb', 'data:image/jpeg;base64,AaBb'],
  ['data:image/png;base64,AaBb', 'data:image/png;base64,AaBb'],
  ['HTTPS://Example.com/A,B;base64,C', 'HTTPS://Example.com/A,B;base64,C'],
])('normalizeMediaUrl spells %s as %s', (given, spelled) => {
  expect(normalizeMediaUrl(given)).toBe(spelled);
});
