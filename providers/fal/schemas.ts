/** Defines the parts of fal's answers and callbacks that the adapter reads. */
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { type Amount, readAmount } from '../../domain/amount.ts';
import { parseErrorFields } from '../error-fields.ts';
import type { TextAnswer } from '../http.ts';

const requestId = z.string().regex(/^[\w-]{1,100}$/);

/** A path below the base URL, without a leading slash. */
const path = z
  .string()
  .max(500)
  .regex(/^[\w~-][\w.~-]*(\/[\w~-][\w.~-]*)*$/);

/** The handle of a job: its id, and the paths of the URLs that fal returned for it. */
export const operationSchema = z.object({ id: requestId, status: path, response: path, cancel: path });

export const submittedSchema = z.object({
  request_id: requestId,
  status_url: z.url(),
  response_url: z.url(),
  cancel_url: z.url(),
});

export const statusSchema = z.object({
  status: z.string().max(100),
  error: z.unknown().optional(),
  error_type: z.unknown().optional(),
});

/** The result of any app. */
export const resultSchema = z.record(z.string(), z.unknown());

/** The body of a callback. `OK` and `ERROR` are the documented values of the status. */
export const callbackSchema = z.object({ request_id: requestId, status: z.string().min(1).max(100) });

/** Returns the units that fal bills for an answer; undefined if it reports none. */
export function readUnits(headers: IncomingHttpHeaders): Amount | undefined {
  return readAmount(headers['x-fal-billable-units']);
}

/** Returns the name of the error in a refusal: a request's `error_type`, or the `type` of a model's error. */
export function errorTypeOf({ headers, text }: TextAnswer): string | undefined {
  const header = headers['x-fal-error-type'];
  const type = typeof header === 'string' ? header : parseErrorFields(text).code;
  return type === undefined || !/^[\w.-]{1,100}$/.test(type) ? undefined : type;
}

/** Returns whether fal's checker flagged an output, by its index. It replaces such an output by a black one. */
export function flagsOf(result: Record<string, unknown>): boolean[] {
  return [result['has_nsfw_concepts']].flat().map((flag) => flag === true);
}
