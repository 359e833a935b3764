/** Writes the report of `admin rotate-encryption`: the re-wrapped values, and the keys that must stay. */
import type { UnchangedReason, RotatedKind } from '../services/encryption/rotation-tally.ts';
import type { Report } from './arguments.ts';
import { formatTable } from './table.ts';

export interface RotationFacts {
  currentKeyId: string;
  /** The ids of the master keys that are configured. */
  keyIds: ReadonlySet<string>;
  isDryRun: boolean;
}

const REASONS: Record<Exclude<UnchangedReason, 'no_key'>, string> = {
  does_not_open: 'do not open and were left as they are: they were altered, or belong elsewhere',
  object_store: 'could not be read from the object store, or not be written back; run this again',
};

/** Returns the report, and whether all values could be re-wrapped. */
export function describeRotation(kinds: readonly RotatedKind[], facts: RotationFacts): Report {
  const rewrapped = kinds.reduce((sum, kind) => sum + kind.rewrapped, 0);
  const values = `${rewrapped} ${rewrapped === 1 ? 'value' : 'values'}`;
  const left = kinds.flatMap(describeLeft);
  const keyIds = new Set([...facts.keyIds, ...kinds.flatMap(({ after }) => [...after.keys()])]);
  const others = [...keyIds].filter((keyId) => keyId !== facts.currentKeyId && keyId !== '');
  const lines = [
    formatTable(['values', 'key id', 'before', 'after'], kinds.flatMap(rowsOf)),
    '',
    facts.isDryRun
      ? `Dry run: nothing was changed. ${values} would be re-wrapped under the key "${facts.currentKeyId}".`
      : `${values} were re-wrapped under the key "${facts.currentKeyId}".`,
    ...left,
    ...others.map((keyId) => describeKey(keyId, kinds, facts)),
  ];
  return { text: lines.join('\n'), isDone: kinds.every((kind) => kind.left.size === 0) };
}

function rowsOf({ kind, before, after }: RotatedKind): string[][] {
  const keyIds = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return keyIds.map((keyId) => [
    kind,
    keyId === '' ? '(none: not a sealed value)' : keyId,
    String(before.get(keyId) ?? 0),
    String(after.get(keyId) ?? 0),
  ]);
}

function describeLeft({ kind, left }: RotatedKind): string[] {
  return [...left].flatMap(([reason, { count, examples }]) => {
    // `describeKey` reports these values with the missing key.
    if (reason === 'no_key') return [];
    const more = count > examples.length ? ', …' : '';
    return [`${count} ${kind} ${REASONS[reason]}: ${examples.join(', ')}${more}.`];
  });
}

function describeKey(keyId: string, kinds: readonly RotatedKind[], facts: RotationFacts): string {
  const holders = kinds
    .map(({ kind, after }) => ({ kind, count: after.get(keyId) ?? 0 }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => `${count} ${kind}`)
    .join(', ');
  if (!facts.keyIds.has(keyId)) {
    return `The key "${keyId}" is missing: ${holders} need it. Add it to the end of ENCRYPTION_KEYS and run this again.`;
  }
  if (holders !== '') return `The key "${keyId}" must stay: ${holders} are sealed with it.`;
  return [
    `The key "${keyId}" no longer seals anything. Remove it once three things that were made with it have ended:`,
    '  - processes that have another key first in ENCRYPTION_KEYS: restart them, and run this again',
    '  - signed URLs: SIGNED_URL_LIFETIME after that, an hour at most',
    "  - providers' callbacks: when the video jobs that were accepted before have ended; a job waits for its submission up to",
    '    JOB_PENDING_DEADLINE (24 hours unless set), and then runs',
    'Keep the key with the backups that were made while it was in use: they are read with it.',
  ].join('\n');
}
