/** Reads the counts of vendors, some of which send numbers as text. */
import { isFields } from '../domain/fields.ts';
import type { NoteRepair } from './repairs.ts';

/** The largest accepted count. No context is as large, and no request uses as much. */
const MAX_COUNT = 2 ** 31 - 1;
const WHOLE_NUMBER = /^\d{1,10}$/;

/** Replaces whole numbers that are text by numbers, in place and also in details. */
export function countsFromText(counts: unknown, note: NoteRepair): void {
  if (replaceTexts(counts)) note('usage');
}

/** Returns whether the value is a count that the bill may use. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT;
}

/** Returns whether the value may be the details of a count, which are optional. */
export function isDetails(value: unknown): boolean {
  return value === undefined || value === null || isFields(value);
}

function replaceTexts(counts: unknown): boolean {
  if (!isFields(counts)) return false;
  let changed = false;
  for (const name in counts) {
    const value = counts[name];
    if (typeof value === 'string' && WHOLE_NUMBER.test(value)) {
      counts[name] = Number(value);
      changed = true;
    } else if (replaceTexts(value)) changed = true;
  }
  return changed;
}
