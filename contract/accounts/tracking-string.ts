/** Validates a customer's own id of an end user. */
import { hasOuterWhitespace, MAX_TRACKING_LENGTH } from '../../domain/accounts/end-user.ts';
import { text } from '../text.ts';

/** The customer's own id of an end user, sent as `user` with requests and as `external.user` with keys. */
export const trackingString = text({ min: 1, max: MAX_TRACKING_LENGTH })
  .refine((value) => !hasOuterWhitespace(value), 'must not begin or end with whitespace')
  .meta({ minLength: 1, maxLength: MAX_TRACKING_LENGTH, pattern: '^[^\\u0000]+$', examples: ['customer-1'] });
