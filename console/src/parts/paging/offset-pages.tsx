/** Leads to the newer and older pages of a list that the API pages by offset. */
import { Link } from '@tanstack/react-router';
import { buttonClass } from '../button/button.tsx';
import styles from './offset-pages.module.css';

interface OffsetPagesProps {
  /** The number of rows before this page. */
  from: number;
  /** The number of rows on this page. */
  shown: number;
  pageSize: number;
  /** Absent: the API does not count; a full page then has a next one. */
  total?: number;
}

export function OffsetPages({ from, shown, pageSize, total }: OffsetPagesProps) {
  const hasOlder = total === undefined ? shown === pageSize : from + shown < total;
  if (from === 0 && !hasOlder) return null;
  const newer = from - pageSize <= 0 ? undefined : String(from - pageSize);
  return (
    <nav aria-label="Pages of the list" className={styles['pages']}>
      <span className={styles['range']}>
        {from + 1}–{from + shown}
        {total !== undefined && ` of ${total.toLocaleString()}`}
      </span>
      {from > 0 && (
        <Link to="." search={(last) => ({ ...last, offset: newer })} className={buttonClass()}>
          Newer
        </Link>
      )}
      {hasOlder && (
        <Link
          to="."
          search={(last) => ({ ...last, offset: String(from + pageSize) })}
          className={buttonClass()}
        >
          Older
        </Link>
      )}
    </nav>
  );
}
