import type { CohereErrorEnvelope } from '../../../contract/live/cohere-error.ts';
import type { AppError } from '../../../domain/errors.ts';
import { presentError } from './present-error.ts';

/** Presents an error in Cohere's envelope, with the same status and details. */
export function presentCohereError(error: AppError): CohereErrorEnvelope {
  const { message, metadata } = presentError(error).body.error;
  return { message, metadata };
}
