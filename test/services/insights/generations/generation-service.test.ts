import { expect, test } from '@jest/globals';
import { shownResponses } from '../../../../services/insights/generations/generation-service.ts';

const nameOf = (slug: string): string => slug.toUpperCase();

test('the calls of a live request are shown without the slug of the provider', () => {
  const shown = [
    { provider_name: 'A', endpoint_id: 'e', status: 503, error: 'overloaded', latency: 12, is_byok: false },
    { provider_name: 'B', endpoint_id: 'f', status: null, error: 'timeout', latency: 12, is_byok: true },
    { provider_name: 'B', endpoint_id: 'f', status: 200, latency: 12.5, is_byok: true },
  ];
  const recorded = shown.map((call) => ({ ...call, provider: call.provider_name.toLowerCase() }));
  expect(shownResponses(recorded, nameOf)).toEqual(shown);
});

test('the submissions of a job are shown as calls without a status', () => {
  const recorded = [
    { n: 1, provider: 'a', state: 'refused' },
    { n: 2, provider: 'b', state: 'accepted' },
  ];
  expect(shownResponses(recorded, nameOf)).toEqual([
    { provider_name: 'A', status: null, error: 'refused' },
    { provider_name: 'B', status: null },
  ]);
});

test('a generation without a record of its calls has none to show', () => {
  expect(shownResponses(null, nameOf)).toBeNull();
});
