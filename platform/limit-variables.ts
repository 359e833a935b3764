/** Defines the environment variables of limits on spending and request rates. */
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
};
