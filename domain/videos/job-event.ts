import type { TerminalStatus } from './job.ts';
import type { RefusalReason } from './wait-reason.ts';
import type { AttemptOutcome } from '../webhooks/webhook-delivery.ts';

/** A step in the timeline of a video job. */
export type JobEvent = { at: Date } & (
  | { type: 'accepted' }
  /** The submissions that one provider refused for one reason. */
  | { type: 'refused'; lastAt: Date; count: number; provider: string; reason: RefusalReason }
  | { type: 'submitted'; provider: string }
  /** All status checks; `at` is the time of the latest. */
  | { type: 'checked'; count: number }
  | { type: 'stored'; index: number }
  | { type: 'settled'; status: TerminalStatus }
  | {
      type: 'webhook_attempt';
      replay: number;
      attempt: number;
      outcome: AttemptOutcome;
      statusCode: number | null;
    }
);
