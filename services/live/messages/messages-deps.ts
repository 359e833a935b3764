import type { AppError } from '../../../domain/errors.ts';
import type { LiveProviders } from '../../routing/live-providers.ts';
import type { LiveDeps } from '../live-deps.ts';

/** What the messages service is made of. */
export interface MessagesDeps extends LiveDeps {
  providers: LiveDeps['providers'] & Pick<LiveProviders, 'messagesAdapter'>;
  /** How an error looks as the last event of a stream: the public part of it. */
  messagesError(error: AppError, requestId: string): { type: string };
}
