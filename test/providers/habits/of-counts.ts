/** Lists how vendors of OpenAI's wire count tokens, and the counts on which the bill depends. */
import type { Fields } from '../../../domain/fields.ts';
import { end, type Habit, HELLO, TEXT, USAGE } from './habit.ts';

const counted = (usage: Fields): Fields[] => [...HELLO.slice(0, 2), end('stop', usage)];
const cached = (count: number) => ({ cached_tokens: count });
export const HABITS_OF_COUNTS: readonly Habit[] = [
  {
    title: 'counts tokens that come as text',
    events: counted({ prompt_tokens: '11', completion_tokens: '7', total_tokens: '18' }),
    seen: { usage: USAGE },
  },
  {
    title: 'counts cached tokens of OpenAI',
    events: counted({ ...USAGE, prompt_tokens_details: cached(3) }),
    seen: { usage: { prompt_tokens: 11, prompt_tokens_details: cached(3) } },
  },
  {
    title: 'counts cached tokens of DeepSeek',
    events: counted({ ...USAGE, prompt_cache_hit_tokens: 3, prompt_cache_miss_tokens: 8 }),
    seen: { usage: { prompt_tokens: 11, prompt_tokens_details: cached(3) } },
  },
  {
    title: 'counts cached tokens of Moonshot',
    events: counted({ ...USAGE, cached_tokens: 3 }),
    seen: { usage: { prompt_tokens: 11, prompt_tokens_details: cached(3) } },
  },
  {
    title: 'counts cached tokens of Mistral',
    events: counted({ ...USAGE, num_cached_tokens: 3 }),
    seen: { usage: { prompt_tokens: 11, prompt_tokens_details: cached(3) } },
  },
  {
    title: 'prefers the usual count of cached tokens',
    events: counted({ ...USAGE, cached_tokens: 5, prompt_tokens_details: cached(0) }),
    seen: { usage: { prompt_tokens_details: cached(0) } },
  },
  {
    title: 'counts tokens that Alibaba wrote to a cache',
    events: counted({
      ...USAGE,
      prompt_tokens_details: { ...cached(0), cache_creation_input_tokens: 9, cache_type: 'ephemeral' },
    }),
    seen: { usage: { prompt_tokens: 11, prompt_tokens_details: { ...cached(0), cache_write_tokens: 9 } } },
  },
  {
    title: 'counts thoughts that stand beside the answer',
    events: counted({
      prompt_tokens: 11,
      completion_tokens: 7,
      total_tokens: 38,
      completion_tokens_details: { reasoning_tokens: 20 },
    }),
    seen: {
      usage: { completion_tokens: 27, total_tokens: 38, completion_tokens_details: { reasoning_tokens: 20 } },
    },
  },
  {
    title: 'counts thoughts within the answer once',
    events: counted({ ...USAGE, completion_tokens_details: { reasoning_tokens: 5 } }),
    seen: { usage: { completion_tokens: 7, completion_tokens_details: { reasoning_tokens: 5 } } },
  },
  {
    title: 'finds the counts within a choice',
    events: [
      ...HELLO.slice(0, 2),
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: USAGE }] },
    ],
    seen: { ...TEXT, usage: USAGE },
  },
];
