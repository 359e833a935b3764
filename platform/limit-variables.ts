/** Defines the environment variables of limits on spending, request rates and requests in flight. */
import { duration, wholeNumber } from './config-rules.ts';
import { defaulted, optional } from './config-variable.ts';

export const limitVariables = {
  SPENDING_REFRESH: defaulted(duration('100ms', '1m'), '1s', {
    sentence:
      'How often the API reads what active keys, workspaces and organizations with limits have spent elsewhere. Spending may exceed a limit by the amount that other replicas spend in that time.',
  }),
  RATE_LIMIT_REQUESTS: optional(wholeNumber(1, 10_000), {
    sentence:
      'How many generation requests a key may make in any `RATE_LIMIT_INTERVAL`, over all replicas. A key may have a limit of its own.',
    example: '100',
    unset: 'only keys with a limit of their own are limited',
  }),
  RATE_LIMIT_INTERVAL: defaulted(duration('1s', '1d'), '10s', {
    sentence:
      'The interval of rate limits. It slides: no interval of this length ever contains more requests than the limit.',
  }),
  MAX_IN_FLIGHT_PER_KEY: optional(wholeNumber(1, 1_000_000), {
    sentence:
      'How many requests of one key may be in flight at the same time, from their head to the end of the answer. It counts requests that call upstreams: generations, and those of interns to other hosts. Above it the answer is 429. `API_PROCESSES` divide it.',
    example: '200',
    unset: 'a quarter of the descriptors that a process may open, at most 8192, in each process',
  }),
  MAX_IN_FLIGHT_PER_ORGANIZATION: optional(wholeNumber(1, 1_000_000), {
    sentence: 'The same for all keys of one organization together.',
    example: '500',
    unset: 'a quarter of the descriptors that a process may open, at most 8192, in each process',
  }),
};
