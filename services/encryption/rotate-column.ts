/** Moves all encrypted values of one database column to the current master key. */
import type { Handle } from '../../db/postgres/connection.ts';
import { createSealedColumnStore, type RowKey } from '../../db/sealed-column-store.ts';
import { keyIdOf } from '../../platform/encryption.ts';
import {
  type RotationKeys,
  rewrapValue,
  afterMoving,
  createTally,
  type RotatedKind,
} from './rotation-tally.ts';
import type { SealedPlace } from './sealed-places.ts';

export interface RotateColumnDeps {
  knex: Handle;
  keys: RotationKeys;
  /** True to change nothing and only report what would change. */
  isDryRun: boolean;
  /** Called after each page with the number of values read so far. */
  onProgress(kind: string, read: number): void;
}

/** The number of values in a page. Dead letters have up to 350 KB each, and a page is in memory at once. */
const PAGE = 200;

/**
 * Re-wraps the values of one column, page by page. A value that is replaced by another process in the meantime stays
 * as that process wrote it. A run that is killed leaves every value intact, and the next run does the rest.
 */
export async function rotateColumn(deps: RotateColumnDeps, place: SealedPlace): Promise<RotatedKind> {
  const { knex, keys, isDryRun, onProgress } = deps;
  const store = createSealedColumnStore(knex, place);
  const tally = createTally();
  const before = await store.countByKeyId();
  let after: RowKey | undefined;
  let read = 0;
  for (let isLast = false; !isLast;) {
    const page = await store.page(after, PAGE, keys.currentKeyId);
    for (const row of page.rows) {
      const result = rewrapValue(keys, row.sealed, place.contextOf(row.rowKey));
      if ('left' in result) tally.addUnchanged(result.left, row.rowKey.join(' '));
      else if (isDryRun || (await store.replace(row, result.rewrapped))) {
        tally.addRewrapped(keyIdOf(row.sealed) ?? '');
      }
    }
    read += page.read;
    if (page.read > 0) onProgress(place.kind, read);
    isLast = page.read < PAGE;
    after = page.last;
  }
  // Count again: processes that still use the old key as the current one may have sealed values meanwhile.
  const counts = isDryRun ? afterMoving(before, tally.moved, keys.currentKeyId) : await store.countByKeyId();
  return tally.resultOf(place.kind, before, counts);
}
