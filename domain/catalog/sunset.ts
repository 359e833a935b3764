/** Computes when a model may be removed, and from when on callers are warned. */
import { addDays, startOf } from '../utc-day.ts';

/** The last moment of a model, and the text of the header `Sunset` (RFC 8594). */
export interface Sunset {
  /** The last day, `YYYY-MM-DD`. */
  expirationDate: string;
  /** The time from which answers have the header, in Unix milliseconds. */
  announcedAtMs: number;
  header: string;
}

/** The number of days before the sunset in which callers are warned. */
const WARNING_DAYS = 30;

/**
 * Returns the sunset of a model; undefined for a model without an expiration date. The model may be removed after this
 * day, so its sunset is the midnight at which the day ends.
 */
export function sunsetOf(expirationDate: string | null): Sunset | undefined {
  if (expirationDate === null) return undefined;
  return {
    expirationDate,
    announcedAtMs: startOf(addDays(expirationDate, 1 - WARNING_DAYS)).getTime(),
    header: startOf(addDays(expirationDate, 1)).toUTCString(),
  };
}
