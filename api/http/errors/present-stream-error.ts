import type { ChatCompletionChunkBody } from '../../../contract/live/chat-completion.ts';
import type { ErrorMessages } from '../../../contract/operation.ts';
import type { AppError } from '../../../domain/errors.ts';
import { presentError } from './present-error.ts';

/** An error as an event of a stream tells it: the same code and message as an answer would have. */
export function presentStreamError(
  error: AppError,
  messages?: ErrorMessages,
): NonNullable<ChatCompletionChunkBody['error']> {
  const { code, message, metadata } = presentError(error, messages).body.error;
  return { code, message, metadata: { ...metadata, error_type: metadata.reason } };
}
