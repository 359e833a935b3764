import { openRecord } from './json-record.ts';
import { text } from './text.ts';

/** Observability metadata: five known names; any other key is forwarded to broadcast destinations. */
export const trace = openRecord({
  trace_id: text().optional(),
  trace_name: text().optional(),
  span_name: text().optional(),
  generation_name: text().optional(),
  parent_span_id: text().optional(),
}).meta({ id: 'Trace', description: 'Observability metadata. Never sent to the provider.' });

/** At most 256 characters (spec.md "Limits"); also the rule for the `x-session-id` header. */
export const sessionId = text({ max: 256 });

/** At most 256 characters (spec.md "Limits"). */
export const endUser = text({ max: 256 }).meta({
  description:
    'Your end user, recorded as `external_user` if it is a tracking string, which has no whitespace around it. Never sent to the provider.',
});
