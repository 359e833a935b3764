/** Shows a state as a word on a coloured ground. The word alone says it all. */
import type { ReactNode } from 'react';
import styles from './badge.module.css';

export type Tone = 'good' | 'warn' | 'bad' | 'calm' | 'busy';

export function Badge({ tone = 'calm', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`${styles['badge']} ${styles[tone]}`}>{children}</span>;
}

const TONES: Record<string, Tone> = {
  completed: 'good',
  succeeded: 'good',
  passed: 'good',
  delivered: 'good',
  ok: 'good',
  enabled: 'good',
  failed: 'bad',
  error: 'bad',
  exhausted: 'bad',
  expired: 'bad',
  refused: 'bad',
  cancelled: 'warn',
  stopped: 'warn',
  disabled: 'warn',
  pending: 'busy',
  in_progress: 'busy',
  queued: 'busy',
  running: 'busy',
};

/** Shows one of the API's words for a state: `in_progress` as "in progress". */
export function StateBadge({ state }: { state: string }) {
  return <Badge tone={TONES[state] ?? 'calm'}>{state.replaceAll('_', ' ')}</Badge>;
}
