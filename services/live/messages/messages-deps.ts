/** Declares the services on which the messages service depends, in addition to those of live operations. */
import type { AppError } from '../../../domain/errors.ts';
import type { LiveDeps } from '../live-deps.ts';

/** The dependencies of the messages service. */
export interface MessagesDeps extends LiveDeps {
  /** Returns the public part of an error as the last event of a stream. */
  messagesError(error: AppError, requestId: string): { type: string };
}
