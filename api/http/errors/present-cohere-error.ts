import type { CohereErrorEnvelope } from '../../../contract/live/cohere-error.ts';
import type { AppError } from '../../../domain/errors.ts';
import { presentError } from './present-error.ts';

/** Returns an error in Cohere's envelope, under the same status and with the same details as in ours. */
export function presentCohereError(error: AppError): CohereErrorEnvelope {
  const { message, metadata } = presentError(error).body.error;
  return { message, metadata };
}
