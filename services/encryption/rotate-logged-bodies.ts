/** Moves the logged prompts and answers in the object store to the current master key. */
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Handle } from '../../db/postgres/connection.ts';
import { createLoggedBodyStore, type LoggedObject } from '../../db/ledger/logged-body-store.ts';
import { KEY_ID_END, keyIdOf } from '../../platform/encryption.ts';
import type { ObjectRange, ObjectStore } from '../../platform/object-store.ts';
import { loggedBodyContext } from '../ledger/bodies/sealed-body.ts';
import type { RotateColumnDeps } from './rotate-column.ts';
import {
  rewrapValue,
  addTo,
  afterMoving,
  createTally,
  type RotatedKind,
  type Tally,
} from './rotation-tally.ts';

export interface RotateBodiesDeps extends RotateColumnDeps {
  knex: Handle;
  objectStore: Pick<ObjectStore, 'open' | 'put'>;
}

const KIND = 'logged bodies';
const PAGE = 200;
/** The number of bodies that are re-wrapped at once; they have up to some megabytes each. */
const CONCURRENT = 8;

/**
 * Re-wraps the logged bodies in the object store. Only the expiry removes bodies, and nothing else writes them again.
 * A body that expires within the hour is skipped, because the expiry would miss an object that is written back too
 * late. An object store has no compare-and-set, so the beginning of the object is read again just before the object
 * is replaced.
 */
export async function rotateLoggedBodies(deps: RotateBodiesDeps): Promise<RotatedKind> {
  const { keys, onProgress } = deps;
  const store = createLoggedBodyStore(deps.knex);
  const tally = createTally();
  const before = new Map<string, number>();
  let after = '';
  let read = 0;
  for (let isLast = false; !isLast;) {
    const page = await store.page(after, PAGE);
    const waiting = [...page];
    const rotateNext = async (): Promise<void> => {
      for (let body = waiting.pop(); body !== undefined; body = waiting.pop()) {
        await rotateBody(deps, body, before, tally);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT }, rotateNext));
    read += page.length;
    if (page.length > 0) onProgress(KIND, read);
    isLast = page.length < PAGE;
    after = page.at(-1)?.generationId ?? '';
  }
  return tally.resultOf(KIND, before, afterMoving(before, tally.moved, keys.currentKeyId));
}

async function rotateBody(
  deps: RotateBodiesDeps,
  body: LoggedObject,
  before: Map<string, number>,
  tally: Tally,
): Promise<void> {
  try {
    const beginning = await readBeginning(deps.objectStore, body.objectKey);
    // The object is not in the object store yet, or was lost there.
    if (beginning === null) return;
    const keyId = keyIdOf(beginning);
    addTo(before, keyId ?? '', 1);
    if (keyId === deps.keys.currentKeyId || body.endsSoon) return;
    await rewrapObject(deps, body, beginning, tally);
  } catch (error) {
    // The next run tries it again.
    tally.addUnchanged('object_store', `${body.generationId} (${nameOf(error)})`);
  }
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

async function rewrapObject(
  { objectStore, keys, isDryRun }: RotateBodiesDeps,
  { objectKey, generationId }: LoggedObject,
  beginning: string,
  tally: Tally,
): Promise<void> {
  const keyId = keyIdOf(beginning);
  if (keyId !== null && !keys.keyIds.has(keyId)) return tally.addUnchanged('no_key', generationId);
  const sealed = await read(objectStore, objectKey);
  if (sealed === null) return;
  const result = rewrapValue(keys, sealed, loggedBodyContext(generationId));
  if ('left' in result) return tally.addUnchanged(result.left, generationId);
  if (!isDryRun) {
    if ((await readBeginning(objectStore, objectKey)) !== beginning) return;
    const body = Readable.from([Buffer.from(result.rewrapped)]);
    await objectStore.put(objectKey, body, { contentType: 'application/octet-stream' });
  }
  tally.addRewrapped(keyId ?? '');
}

/** Returns the part of an object that contains the id of its master key; null when there is no object. */
async function readBeginning(objectStore: RotateBodiesDeps['objectStore'], key: string) {
  try {
    return await read(objectStore, key, { start: 0, end: KEY_ID_END - 1 });
  } catch (error) {
    // An empty object has no first byte.
    if (error instanceof RangeError) return '';
    throw error;
  }
}

async function read(
  objectStore: RotateBodiesDeps['objectStore'],
  key: string,
  range?: ObjectRange,
): Promise<string | null> {
  const opened = await objectStore.open(key, range);
  return opened === null ? null : text(opened.body).finally(() => opened.body.destroy());
}
