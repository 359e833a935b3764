import { describe, expect, test } from '@jest/globals';
import { clientFactsOf } from '../../api/request/client-facts.ts';

describe('the country of a client', () => {
  test('is read from the header that the deployment names, in either case', () => {
    expect(clientFactsOf('r', { 'x-country': 'fr' }, 'x-country')).toEqual({ requestId: 'r', country: 'FR' });
  });

  test('is unknown where no header is named, whatever the client sends', () => {
    const headers = { 'x-country': 'FR', 'cf-ipcountry': 'FR' };
    expect(clientFactsOf('r', headers)).toEqual({ requestId: 'r' });
  });

  test.each(['XX', 'T1', 'France', ''])('is unknown for %j', (value) => {
    expect(clientFactsOf('r', { 'x-country': value }, 'x-country')).toEqual({ requestId: 'r' });
  });
});

describe('the title of an app', () => {
  test.each([
    ['UTF-8', Buffer.from('Büro 🚀').toString('latin1'), 'Büro 🚀'],
    ['Latin-1, which is no UTF-8', 'B\u00fcro', 'Büro'],
    ['ASCII', 'Office', 'Office'],
  ])('is read from bytes of %s', (_what, header, title) => {
    expect(clientFactsOf('r', { 'x-openrouter-title': header })).toEqual({ requestId: 'r', title });
  });
});
