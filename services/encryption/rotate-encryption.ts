import { countByKeyId } from '../../db/sealed-column-store.ts';
import { rotateColumn } from './rotate-column.ts';
import { type RotateBodiesDeps, rotateLoggedBodies } from './rotate-logged-bodies.ts';
import type { RotatedKind } from './rotation-tally.ts';
import { ENDING_PLACES, SEALED_PLACES } from './sealed-places.ts';

/**
 * Re-wraps every sealed value under the current master key. It may run repeatedly and while the system is in use. Reads
 * work with the old and the new wrapping while both keys are configured.
 */
export async function rotateEncryption(deps: RotateBodiesDeps): Promise<RotatedKind[]> {
  const kinds: RotatedKind[] = [];
  for (const place of SEALED_PLACES) kinds.push(await rotateColumn(deps, place));
  kinds.push(await rotateLoggedBodies(deps));
  for (const { kind, table, text } of ENDING_PLACES) {
    const counts = await countByKeyId(deps.knex, table, text);
    kinds.push({ kind, before: counts, after: counts, rewrapped: 0, left: new Map(), isEnding: true });
  }
  return kinds;
}
