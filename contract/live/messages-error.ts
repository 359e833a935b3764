/** Defines the error answers of the operations in Anthropic's dialect. */
import { z } from 'zod';
import { errorDetails } from '../errors.ts';

/** Anthropic's error types. Each of them may belong to several statuses. */
export const MESSAGES_ERROR_TYPES = [
  'invalid_request_error',
  'authentication_error',
  'billing_error',
  'permission_error',
  'not_found_error',
  'conflict_error',
  'request_too_large',
  'rate_limit_error',
  'timeout_error',
  'api_error',
  'overloaded_error',
] as const;

/** The error envelope of `POST /messages`, also sent as the last event of a failed stream. */
export const messagesErrorEnvelope = z
  .object({
    type: z.literal('error'),
    error: z.object({
      type: z.enum(MESSAGES_ERROR_TYPES),
      message: z.string().meta({ description: 'Names the invalid fields, if there are any.' }),
      metadata: errorDetails.optional(),
    }),
    request_id: z.string().nullable(),
  })
  .meta({
    id: 'MessagesError',
    description: 'The body of every error response of `POST /messages`.',
  });

export type MessagesErrorEnvelope = z.output<typeof messagesErrorEnvelope>;
