/** Shows single values: amounts, moments, states, and links to workflows. */
import type { ReactNode } from 'react';
import { useSession } from '../../api/session.ts';
import { formatRelative, formatShort, formatUtc } from '../../format/moments.ts';
import { exactUsd, formatUsd, NONE } from '../../format/numbers.ts';
import { buttonClass } from '../button/button.tsx';
import styles from './value.module.css';

/** Shows an amount of money, short, with all its digits on hover. */
export function Usd({ value }: { value: number | null | undefined }) {
  return (
    <data value={value ?? undefined} title={exactUsd(value)}>
      {formatUsd(value)}
    </data>
  );
}

interface MomentProps {
  at: string | null | undefined;
  /** True: "5 minutes ago" instead of the date. */
  isRelative?: boolean;
}

/** Shows a moment in the person's time zone, and in UTC on hover. */
export function Moment({ at, isRelative = false }: MomentProps) {
  if (at == null) return <>{NONE}</>;
  return (
    <time dateTime={at} title={formatUtc(at)}>
      {isRelative ? formatRelative(at) : formatShort(at)}
    </time>
  );
}

type Tone = 'good' | 'warn' | 'bad' | 'calm' | 'busy';

/** Shows a state as a word on a coloured ground. The word alone says it all. */
export function Badge({ tone = 'calm', children }: { tone?: Tone; children: ReactNode }) {
  const look = { color: `var(--${tone})`, background: `var(--${tone}-soft)` };
  return (
    <span className={styles['badge']} style={look}>
      {children}
    </span>
  );
}

const STATES: Partial<Record<Tone, string>> = {
  good: 'completed succeeded passed delivered ok enabled',
  bad: 'failed error exhausted expired refused',
  warn: 'cancelled stopped disabled',
  busy: 'pending in_progress queued running',
};
const TONES = new Map(
  Object.entries(STATES).flatMap(([tone, states]) => states.split(' ').map((state) => [state, tone as Tone])),
);

/** Shows one of the API's words for a state: `in_progress` as "in progress". */
export function StateBadge({ state }: { state: string }) {
  return <Badge tone={TONES.get(state)}>{state.replaceAll('_', ' ')}</Badge>;
}

interface NamedProps {
  /** What identifies it. */
  id: string;
  children: ReactNode;
}

/** Shows a name, and below it what tells it apart from others of this name. */
export function Named({ id, children }: NamedProps) {
  return (
    <>
      {children}
      <br />
      <small>
        <code>{id}</code>
      </small>
    </>
  );
}

export function TemporalLink({ workflow }: { workflow: string }) {
  const { temporal_ui_url: url } = useSession();
  if (url === null || !/^https?:/.test(url)) return null;
  const target = `${url}/workflows/${encodeURIComponent(workflow)}`;
  return (
    <a className={buttonClass('quiet')} href={target} target="_blank" rel="noreferrer">
      Temporal UI
    </a>
  );
}
