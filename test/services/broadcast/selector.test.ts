import { expect, test } from '@jest/globals';
import type { FilterRules } from '../../../domain/broadcast/filter-rules.ts';
import { createSelector } from '../../../services/broadcast/filters/compile-filters.ts';
import { broadcastEvent, CONTENT, IDS, openRules } from '../../domain/broadcast/broadcast-event.ts';

const ONLY_SECRETS: FilterRules = {
  enabled: true,
  groups: [{ logic: 'and', rules: [{ field: 'output', operator: 'regex', value: 'secret' }] }],
};

test('a selector applies the filters of its destination', () => {
  const select = createSelector(openRules({ filterRules: ONLY_SECRETS }));
  expect(select(broadcastEvent(), IDS)).toBe('sent');
  expect(select(broadcastEvent({ content: { ...CONTENT, outputText: 'public' } }), IDS)).toBe('filter_rules');
  expect(select(broadcastEvent({ content: null }), IDS)).toBe('undecided');
});

test('filters read content and cost that privacy mode and flags withhold', () => {
  const flags = {
    sendsCost: false,
    sendsCostAllocation: false,
    sendsIdentity: false,
    sendsRequestContext: false,
  };
  const rules = openRules({ filterRules: ONLY_SECRETS, privacyMode: true, flags });
  expect(createSelector(rules)(broadcastEvent(), IDS)).toBe('sent');
});
