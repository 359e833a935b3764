import { describe, expect, test } from '@jest/globals';
import { readResponses } from '../../../../services/insights/generations/recorded-responses.ts';

const nameOf = (slug: string): string => slug.toUpperCase();

describe('the recorded calls of providers', () => {
  test('read back as they were written', () => {
    const written = [
      { provider_name: 'A', endpoint_id: 'e', status: 503, error: 'overloaded', latency: 12, is_byok: false },
      { provider_name: 'B', endpoint_id: 'f', status: null, error: 'timeout', latency: 12, is_byok: true },
      { provider_name: 'B', endpoint_id: 'f', status: 200, latency: 12.5, is_byok: true },
    ];
    expect(readResponses(written, nameOf)).toEqual(written);
  });

  test('show the submissions of a job', () => {
    const written = [
      { n: 1, provider: 'a', state: 'refused' },
      { n: 2, provider: 'b', state: 'accepted' },
    ];
    expect(readResponses(written, nameOf)).toEqual([
      { provider_name: 'A', status: null, error: 'refused' },
      { provider_name: 'B', status: null },
    ]);
  });

  test('lose only fields of an unknown form', () => {
    const written = [
      null,
      7,
      { status: '200', latency: 'x', is_byok: 1, provider_name: 'A', more: true },
      {},
    ];
    expect(readResponses(written, nameOf)).toEqual([{ provider_name: 'A', status: null }, { status: null }]);
    expect(readResponses(null, nameOf)).toBeNull();
    expect(readResponses({}, nameOf)).toBeNull();
  });
});
