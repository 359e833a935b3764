import type { ChatCompletionChunkBody } from '../../../contract/live/chat-completion.ts';
import type { ErrorMessages } from '../../../contract/operation.ts';
import type { AppError } from '../../../domain/errors.ts';
import { presentError } from './present-error.ts';

/** Presents an error as an event of a stream, with the same code and message as in an answer. */
export function presentStreamError(
  error: AppError,
  messages?: ErrorMessages,
): NonNullable<ChatCompletionChunkBody['error']> {
  const { code, message, metadata } = presentError(error, messages).body.error;
  return { code, message, metadata: { ...metadata, error_type: metadata.reason } };
}
