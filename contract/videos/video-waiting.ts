/** Defines what a video job waits for until a provider accepts it, and explains the reasons. */
import { z } from 'zod';
import { WAIT_REASONS } from '../../domain/videos/wait-reason.ts';

/** The explanation of the reasons that refused submissions have. */
export const REASONS_EXPLAINED = [
  '`rate_limited`: the provider limits the rate of requests.',
  '`overloaded`: it has no capacity.',
  '`server_error`: it failed.',
  '`not_connected`: it could not be reached.',
  '`no_answer`: it gave no answer, or has not answered yet.',
  '`not_available`: it does not offer the model to the account, or rejects the account.',
  '`request_refused`: it rejects the request.',
  '`content_policy`: its policy rejects the content.',
  '`interrupted`: the gateway stopped during the submission.',
].join(' ');

const time = z.iso.datetime();

export const videoWaiting = z
  .object({
    reason: z.enum(WAIT_REASONS).meta({
      description: `\`queued\`: the job waits for its turn. \`no_worker\`: no worker of the gateway can reach the provider. The others are the reason of the latest submission. ${REASONS_EXPLAINED}`,
    }),
    since: time.meta({ description: 'The time since which the job waits for this reason.' }),
    next_try_at: time.nullable().meta({
      description: 'The earliest time of the next submission. Null: the job is `queued`.',
    }),
  })
  .meta({ id: 'VideoWaiting', description: 'What a job waits for until a provider accepts it.' });
