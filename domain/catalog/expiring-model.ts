/** Decides when workspaces receive a warning about a model that they use. */
import { addDays, daysBetween, startOf, type UtcDay } from '../utc-day.ts';

/** A model of the catalog with an expiration date. */
export interface ExpiringModel {
  id: string;
  /** The model's name in the ledger. */
  canonicalSlug: string;
  /** The last day, `YYYY-MM-DD`. */
  expirationDate: UtcDay;
}

/** The numbers of days left at which an event is sent, the largest first. */
const MILESTONES = [30, 7] as const;

/** The last days that are looked up, today included. */
export const WARNED_DAYS = MILESTONES[0];

/** The number of days for which a workspace counts as using a model, before today. */
export const USE_DAYS = 7;

/** A warning that is due on a day. */
export interface ExpiryWarning extends ExpiringModel {
  /** The number of days on which the model is still sure to be there, today included. */
  daysLeft: number;
  /** The end of the last day. */
  sunsetAt: Date;
  /** The milestone that is reached. Each one is announced once. */
  milestone: number;
}

/** Returns the warning of a model that expires today or in the next 29 days. */
export function warningOf(model: ExpiringModel, today: UtcDay): ExpiryWarning {
  const daysLeft = daysBetween(today, model.expirationDate).length;
  const milestone = MILESTONES.findLast((days) => daysLeft <= days) ?? WARNED_DAYS;
  return { ...model, daysLeft, milestone, sunsetAt: startOf(addDays(model.expirationDate, 1)) };
}

/** Returns the id of the event, which a repetition has too. A later date of the same model is another event. */
export function expiryEventId(workspaceId: string, { id, expirationDate, milestone }: ExpiryWarning): string {
  // Ids of events have no dots, because the signature puts dots between the id and the body.
  const name = id.replaceAll(/[^\dA-Za-z-]/g, (character) => `_${character.charCodeAt(0).toString(16)}`);
  return `model-expiring-${workspaceId}-${name}-${expirationDate}-${milestone}`;
}
