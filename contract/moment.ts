/** Parses the UTC times that callers send. */
import { z } from 'zod';

/** Matches the suffix of UTC. Python's `isoformat` writes an offset. */
export const UTC_SUFFIX = /(?:Z|\+00:00)$/;

/** A UTC date and time. Seconds are required, fractions of any length allowed. */
export const moment = z
  .string()
  .refine(
    (value) =>
      /T\d\d:\d\d:\d\d(\.\d{1,30})?(Z|\+00:00)$/.test(value) &&
      z.iso.datetime({ offset: true }).safeParse(value).success,
    'must be a UTC date and time with seconds, such as 2026-01-31T00:00:00Z',
  )
  .meta({ format: 'date-time', examples: ['2026-01-31T00:00:00Z'] });

/** Returns the first whole millisecond at or after the moment: records keep whole milliseconds. */
export function toMoment(value: string): Date {
  const beyond = /\.\d{3}(\d+)(?:Z|\+00:00)$/.exec(value)?.[1] ?? '';
  return new Date(Date.parse(value) + (/[1-9]/.test(beyond) ? 1 : 0));
}
