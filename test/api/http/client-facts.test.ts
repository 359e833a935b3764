import { describe, expect, test } from '@jest/globals';
import { clientFactsOf } from '../../../api/http/request/client-facts.ts';

describe('the country of a client', () => {
  test('comes from the header that the deployment names, in either case', () => {
    expect(clientFactsOf('r', { 'x-country': 'fr' }, 'x-country')).toEqual({ requestId: 'r', country: 'FR' });
  });

  test('stays unknown without a named header, despite headers of the client', () => {
    const headers = { 'x-country': 'FR', 'cf-ipcountry': 'FR' };
    expect(clientFactsOf('r', headers)).toEqual({ requestId: 'r' });
  });

  test.each(['XX', 'T1', 'France', ''])('stays unknown for %j', (value) => {
    expect(clientFactsOf('r', { 'x-country': value }, 'x-country')).toEqual({ requestId: 'r' });
  });
});

describe('the title of an app', () => {
  test.each([
    ['UTF-8', Buffer.from('Büro 🚀').toString('latin1'), 'Büro 🚀'],
    ['Latin-1, which is no UTF-8', 'B\u00fcro', 'Büro'],
    ['ASCII', 'Office', 'Office'],
  ])('reads bytes of %s', (_what, header, title) => {
    expect(clientFactsOf('r', { 'x-openrouter-title': header })).toEqual({ requestId: 'r', title });
  });

  test('ends after 512 code units without splitting a character', () => {
    const titleOf = (text: string) =>
      clientFactsOf('r', { 'x-openrouter-title': Buffer.from(text).toString('latin1') }).title;
    expect(titleOf('a'.repeat(600))).toBe('a'.repeat(512));
    expect(titleOf(`${'a'.repeat(511)}🚀`)).toBe('a'.repeat(511));
    expect(titleOf(`${'a'.repeat(510)}🚀🚀`)).toBe(`${'a'.repeat(510)}🚀`);
  });
});
