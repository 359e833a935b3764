/** Defines the trace, session and end user that callers attach to requests. */
import { openRecord } from './json-record.ts';
import { orNull } from './or-null.ts';
import { text } from './text.ts';

/** Observability metadata with five known names. Other keys are forwarded to broadcast destinations. */
export const trace = openRecord({
  trace_id: orNull(text()),
  trace_name: orNull(text()),
  span_name: orNull(text()),
  generation_name: orNull(text()),
  parent_span_id: orNull(text()),
}).meta({ id: 'Trace', description: 'Observability metadata. Never sent to the provider.' });

/** The session id of a request, at most 256 characters; also the rule for the `x-session-id` header. */
export const sessionId = text({ max: 256 });

/** The end user of a request, at most 256 characters. */
export const endUser = text({ max: 256 }).meta({
  description:
    'Your end user. It is recorded as `external_user` unless it begins or ends with whitespace. It is never sent to the provider.',
});
