/** Checks that servers of OpenAI's wire get the effort of reasoning in the form that most of them understand. */
import { expect, test } from '@jest/globals';
import { toServer } from '../../providers/openai-compatible/to-server.ts';

const REQUEST = { model: 'm', messages: [] };

test.each<[what: string, given: object, sent: object]>([
  ['an effort', { reasoning: { effort: 'high' } }, { reasoning_effort: 'high' }],
  [
    'an effort beside nulls',
    { reasoning: { effort: 'high', max_tokens: null, summary: null } },
    { reasoning_effort: 'high' },
  ],
  ['nothing but nulls', { reasoning: { effort: null, summary: null } }, {}],
  ['a limit beside a null', { reasoning: { effort: null, max_tokens: 9 } }, { reasoning: { max_tokens: 9 } }],
  [
    'an effort under both names',
    { reasoning: { effort: 'high' }, reasoning_effort: 'low' },
    { reasoning_effort: 'low' },
  ],
  ['no reasoning', {}, {}],
])('toServer sends %s without nulls', (_, given, sent) => {
  const request = { ...REQUEST, ...given };
  const before = structuredClone(request);
  expect(toServer(request, [])).toEqual({ ...REQUEST, ...sent });
  expect(request).toEqual(before);
});
