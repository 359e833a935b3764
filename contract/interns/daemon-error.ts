/** Defines the errors and limits of the operations with which interns' daemons sign requests. */
import { z } from 'zod';
import { type ErrorStatus, errorTable } from '../errors.ts';

/** The largest body of a signing request, in bytes. It is not configurable. */
export const MAX_SIGN_BYTES = 1_048_576;

/** The timeout of a signing request, including its body. */
export const SIGN_TIMEOUT_MS = 10_000;

interface DaemonErrorRow {
  message: string;
  metadata: { reason: string; retryable: boolean };
}

/** The closed table of errors of daemon signing. Regional hosts have a 403 of their own. */
export const daemonErrorTable = {
  400: { message: 'Invalid request body', metadata: { reason: 'invalid_body', retryable: false } },
  401: {
    message: 'Invalid or missing API key',
    metadata: { reason: 'unauthorized', retryable: false },
  },
  403: {
    message: errorTable.personal_identity_required.message,
    metadata: { reason: 'personal_identity_required', retryable: false },
  },
  404: { message: 'Intern not found', metadata: { reason: 'not_found', retryable: false } },
  408: {
    message: `Operation timed out after ${SIGN_TIMEOUT_MS / 1_000}s`,
    metadata: { reason: 'timeout', retryable: true },
  },
  413: {
    message: `Request body exceeds ${MAX_SIGN_BYTES} bytes`,
    metadata: { reason: 'payload_too_large', retryable: false },
  },
  415: {
    message: 'Request body must be sent as application/json',
    metadata: { reason: 'unsupported_media_type', retryable: false },
  },
  429: { message: 'Too many intern turns', metadata: { reason: 'rate_limited', retryable: true } },
  500: {
    message: 'The request could not be completed',
    metadata: { reason: 'internal_error', retryable: true },
  },
} as const satisfies Partial<Record<ErrorStatus, DaemonErrorRow>>;

export type DaemonErrorStatus = keyof typeof daemonErrorTable;

/** The error envelope of daemon signing, which names no fields. */
export const daemonErrorEnvelope = z
  .object({
    error: z.object({
      code: z.int().meta({ description: 'The HTTP status.' }),
      message: z.string(),
      metadata: z.object({
        reason: z.string().meta({ description: 'A stable identifier for programs.' }),
        retryable: z.boolean().meta({ description: 'True if the same request may succeed later.' }),
      }),
    }),
  })
  .meta({
    id: 'DaemonError',
    description: 'The body of every error response of daemon signing.',
  });

export type DaemonErrorEnvelope = z.output<typeof daemonErrorEnvelope>;
