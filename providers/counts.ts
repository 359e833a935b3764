/** Reads the counts of vendors, some of which send numbers as text. */
import { isFields } from '../domain/fields.ts';
import type { NoteRepair } from './repairs.ts';

const WHOLE_NUMBER = /^\d{1,10}$/;

/** Replaces whole numbers that are text by numbers, in place and also in details. */
export function countsFromText(counts: unknown, note: NoteRepair): void {
  if (replaceTexts(counts)) note('usage');
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
