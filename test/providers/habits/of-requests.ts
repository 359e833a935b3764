/** Lists what vendors of OpenAI's wire refuse in requests, and what reaches them by the deviations of their rows. */
import { type Habit, TEXT } from './habit.ts';

const user = { role: 'user', content: 'Hi' };
const thought = { role: 'assistant', content: 'Yes?' };

export const HABITS_OF_REQUESTS: readonly Habit[] = [
  {
    title: 'sends system for developer',
    request: { messages: [{ role: 'developer', content: 'Be brief' }, user] },
    seen: TEXT,
    sent: (has) => ({
      messages: [{ role: has('developer_role') ? 'developer' : 'system', content: 'Be brief' }, user],
    }),
  },
  {
    title: 'sends thoughts back under the names of the vendor',
    request: { messages: [user, { ...thought, reasoning: 'why' }, user] },
    seen: TEXT,
    sent(has) {
      const names = has('no_thoughts')
        ? []
        : ['reasoning', ...(has('reasoning_name') ? [] : ['reasoning_content'])];
      return {
        messages: [user, { ...thought, ...Object.fromEntries(names.map((name) => [name, 'why'])) }, user],
      };
    },
  },
  {
    title: 'sends the effort of thoughts in the form of the vendor',
    request: { messages: [user], reasoning: { effort: 'high', max_tokens: null } },
    seen: TEXT,
    sent: (has) => ({
      reasoning: has('reasoning_object') ? { effort: 'high', max_tokens: null } : undefined,
      reasoning_effort: has('reasoning_object') ? undefined : 'high',
      thinking: has('thinking_switch') ? { type: 'enabled' } : undefined,
    }),
  },
  {
    title: 'sends the limit and the seed under the names of the vendor',
    request: { messages: [user], max_completion_tokens: 64, seed: 7 },
    seen: TEXT,
    sent: (has) => ({
      [has('max_tokens') ? 'max_tokens' : 'max_completion_tokens']: 64,
      [has('max_tokens') ? 'max_completion_tokens' : 'max_tokens']: undefined,
      [has('random_seed') ? 'random_seed' : 'seed']: 7,
      [has('random_seed') ? 'seed' : 'random_seed']: undefined,
    }),
  },
  {
    title: 'sends names and parts of messages if the vendor knows them',
    request: {
      messages: [
        {
          ...user,
          name: 'ann',
          content: [
            { type: 'text', text: 'One' },
            { type: 'text', text: 'Two' },
          ],
        },
      ],
    },
    seen: TEXT,
    sent: (has) => ({
      messages: [
        {
          role: 'user',
          ...(has('no_names') ? {} : { name: 'ann' }),
          content: has('text_content')
            ? 'One\nTwo'
            : [
                { type: 'text', text: 'One' },
                { type: 'text', text: 'Two' },
              ],
        },
      ],
    }),
  },
  {
    title: 'streams without stream_options when the vendor refuses them',
    answers: ({ stream_options: options }) =>
      options === undefined
        ? undefined
        : {
            status: 422,
            body: {
              detail: [
                {
                  type: 'extra_forbidden',
                  loc: ['body', 'stream_options'],
                  msg: 'Extra inputs are not permitted',
                },
              ],
            },
          },
    seen: TEXT,
    asks: (has) => (has('no_stream_options') ? 1 : 2),
  },
];
