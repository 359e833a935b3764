/** Shows a moment in the person's time zone, and in UTC on hover. */
import { formatRelative, formatShort, formatUtc } from '../../format/moments.ts';
import styles from './moment.module.css';
import { NONE } from '../../format/numbers.ts';

interface MomentProps {
  at: string | null | undefined;
  /** True: "5 minutes ago" instead of the date. */
  isRelative?: boolean;
}

export function Moment({ at, isRelative = false }: MomentProps) {
  if (at == null) return <>{NONE}</>;
  return (
    <time dateTime={at} className={styles['moment']} title={formatUtc(at)}>
      {isRelative ? formatRelative(at) : formatShort(at)}
    </time>
  );
}
