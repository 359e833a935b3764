/** Loads the prompts and answers of generations for delivery, within one memory limit for each process. */
import { setTimeout as delay } from 'node:timers/promises';
import type { BodyKey, BroadcastBodyStore } from '../../../db/broadcast/body-store.ts';
import type { DeadLetter } from '../../../db/broadcast/dead-letter-store.ts';
import type { LogEntry } from '../../../db/broadcast/log-read-model.ts';
import type { BroadcastContent } from '../../../domain/broadcast/event.ts';
import type { Encryption } from '../../../platform/encryption.ts';
import type { ContentRoom } from '../content/content-room.ts';
import { MAX_CHARACTERS } from '../../ledger/bodies/fit-content.ts';
import { needsContent } from '../filters/compile-filters.ts';
import { openContent, sealDeadContent } from '../../ledger/bodies/sealed-content.ts';
import { createSharedContents, type SharedContents } from '../content/shared-contents.ts';
import type { Item } from './batch-source.ts';
import type { SpanRules } from './prepare-entries.ts';
import { beginTimeSlice } from './time-slice.ts';

export interface ContentDeps {
  store: Pick<BroadcastBodyStore, 'sizes' | 'read'>;
  encryption: Pick<Encryption, 'open' | 'seal'>;
  room: ContentRoom;
  now(): number;
}

/** An entry of the log, or one whose content came late. */
interface LoadableEntry extends Pick<LogEntry, 'event'>, Partial<Pick<LogEntry, 'loggedAtMs'>> {}

/** Identifies announced content, and the time from which it is awaited. */
interface AwaitedKey extends BodyKey {
  sinceMs: number;
}

/** The purpose for which a pump reads content. */
export interface ContentOrder {
  organizationId: string;
  spanRules: SpanRules;
  /** The largest content of one batch. */
  maxBytes: number;
  /** The longest wait for an announced row, from the entry of the log, and the interval at which it is looked up. */
  waitMs: number;
  pollMs: number;
  /** The age of an entry up to which its content may still come. */
  lateMs: number;
  /** Aborts when the pump ends. */
  signal: AbortSignal;
  report(doing: string): void;
}

/** The first part of some entries, with their content. `release` must be called after their delivery. */
export interface LoadedPart<Entry> {
  entries: Entry[];
  release(): void;
}

/** The largest content of a batch for tools that accept more, because the room is for all pumps. */
const MAX_PART_BYTES = 4 * 1024 ** 2;

/**
 * The shortest wait for content that may still come. After an outage of Postgres, an entry from its beginning is older
 * than the usual wait, and its content is stored in the first moments after the end.
 */
const MIN_WAIT_MS = 1_000;

const NOTHING_TO_RELEASE = (): void => {};

/** Reads prompts and answers for the pumps of a process. */
export function createContentSource(deps: ContentDeps) {
  const { store, encryption, room } = deps;
  const contents = createSharedContents(store, encryption);
  return {
    /**
     * Returns as many of the first entries as fit together, at least one. Announced content that does not arrive is
     * left out. Null when the signal aborts first.
     */
    async load<Entry extends LoadableEntry>(
      entries: readonly Entry[],
      order: ContentOrder,
    ): Promise<LoadedPart<Entry> | null> {
      const keys = await keysOf(deps, entries, order);
      if (keys.length === 0) return { entries: [...entries], release: NOTHING_TO_RELEASE };
      const sizes = await awaitSizes(deps, contents, keys, order);
      const sizeOf = ({ event }: Entry): number => sizes.get(event?.generationId ?? '') ?? 0;
      const { part, bytes } = firstOf(entries, sizeOf, order.maxBytes);
      order.report('waits for memory');
      return loadWithin(room.take(bytes, order.organizationId, order.signal), async () => {
        const present = new Set(part.flatMap(({ event }) => event?.generationId ?? []));
        const loaded = await contents.load(
          keys.flatMap((key) => {
            const size = sizes.get(key.generationId);
            return size === undefined || !present.has(key.generationId) ? [] : [{ ...key, size }];
          }),
        );
        return part.map((entry) => withContent(entry, loaded));
      });
    },

    /** Loads dead letters in the same way; they have content of their own. */
    async open(
      deadLetters: readonly DeadLetter[],
      { organizationId, spanRules, maxBytes, signal }: ContentOrder,
    ): Promise<LoadedPart<DeadLetter> | null> {
      const isSent = ({ event, contentSealed }: DeadLetter): boolean =>
        event !== null && contentSealed !== null && !spanRules.rules.privacyMode;
      if (!deadLetters.some(isSent)) return { entries: [...deadLetters], release: NOTHING_TO_RELEASE };
      const limit = Math.min(maxBytes, MAX_PART_BYTES);
      return loadWithin(room.take(limit + MAX_CHARACTERS, organizationId, signal), async () => {
        const opened: DeadLetter[] = [];
        let bytes = 0;
        for (const deadLetter of deadLetters) {
          if (bytes >= limit) break;
          const content = isSent(deadLetter) ? await openDeadLetter(deadLetter) : null;
          if (content !== null) bytes += JSON.stringify(content).length;
          opened.push({ ...deadLetter, event: deadLetter.event && { ...deadLetter.event, content } });
        }
        return opened;
      });
    },

    /** Encrypts the content that a dead letter keeps; null when the destination receives no content. */
    seal({ event, span }: Item): string | null {
      // A span without content was either too large, which `isContentDropped` marks, or is in privacy mode. In privacy
      // mode, a dead letter keeps no content.
      const isSent = span !== null && (span.content !== undefined || span.isContentDropped);
      if (!isSent || event === null || event.content === null) return null;
      return sealDeadContent(encryption, event.generationId, event.content);
    },
  };

  async function openDeadLetter({ event, contentSealed }: DeadLetter): Promise<BroadcastContent | null> {
    return openContent(encryption, 'broadcast_dead_letters', event!.generationId, contentSealed!);
  }
}

export type ContentSource = ReturnType<typeof createContentSource>;

/** Loads entries once their room is taken, and gives the room back if that fails. Null when the room was not taken. */
async function loadWithin<Entry>(
  taken: ReturnType<ContentRoom['take']>,
  load: () => Promise<Entry[]>,
): Promise<LoadedPart<Entry> | null> {
  const release = await taken;
  if (release === null) return null;
  try {
    return { entries: await load(), release };
  } catch (error) {
    release();
    throw error;
  }
}

function withContent<Entry extends LoadableEntry>(
  entry: Entry,
  loaded: ReadonlyMap<string, BroadcastContent | null>,
): Entry {
  const content = entry.event && loaded.get(entry.event.generationId);
  return content === undefined ? entry : { ...entry, event: entry.event && { ...entry.event, content } };
}

/** Returns the keys of announced content that the destination needs. */
async function keysOf(
  { now }: Pick<ContentDeps, 'now'>,
  entries: readonly LoadableEntry[],
  { spanRules }: ContentOrder,
): Promise<AwaitedKey[]> {
  const keys: AwaitedKey[] = [];
  const turn = beginTimeSlice(now);
  for (const { event, loggedAtMs = 0 } of entries) {
    if (event === null || event.facts.hasContent !== true) continue;
    if (turn.isOver()) await turn.next();
    if (needsContent(event, spanRules.rules, spanRules.select)) {
      const { generationId, settledAt } = event;
      keys.push({
        generationId,
        settledAt,
        sinceMs: Math.max(settledAt.getTime(), loggedAtMs),
      });
    }
  }
  return keys;
}

/** Returns the sizes of the existing rows, once all exist or the wait is over. */
async function awaitSizes(
  { store, now }: ContentDeps,
  contents: SharedContents,
  keys: readonly AwaitedKey[],
  { waitMs, pollMs, lateMs, signal, report }: ContentOrder,
): Promise<Map<string, number>> {
  const beganMs = now();
  const endOf = ({ sinceMs }: AwaitedKey): number => {
    const shortestMs = beganMs - sinceMs < lateMs ? MIN_WAIT_MS : 0;
    // Other clocks may be ahead, so this clock limits the wait too.
    return Math.min(beganMs + waitMs, Math.max(sinceMs + waitMs, beganMs + shortestMs));
  };
  for (;;) {
    // Read the cached sizes before the query, because the cache may drop entries while the query runs.
    const kept = new Map(
      keys.flatMap(({ generationId: id }) => {
        const size = contents.sizeOf(id);
        return size === undefined ? [] : [[id, size] as const];
      }),
    );
    const uncached = keys.filter(({ generationId }) => !kept.has(generationId));
    const found = uncached.length === 0 ? [] : await store.sizes(uncached);
    const sizes = new Map([...kept, ...found]);
    const nowMs = now();
    const isAwaited = keys.some((key) => !sizes.has(key.generationId) && nowMs < endOf(key));
    if (!isAwaited || signal.aborted) return sizes;
    report('waits for prompts and answers');
    await delay(pollMs, undefined, { signal }).catch(() => {});
  }
}

function firstOf<Entry>(
  entries: readonly Entry[],
  sizeOf: (entry: Entry) => number,
  maxBytes: number,
): { part: Entry[]; bytes: number } {
  const limit = Math.min(maxBytes, MAX_PART_BYTES);
  const part: Entry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = sizeOf(entry);
    if (part.length > 0 && bytes + size > limit) break;
    part.push(entry);
    bytes += size;
  }
  return { part, bytes };
}
