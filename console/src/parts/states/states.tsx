/** Shows what a page has instead of its content: a wait, nothing yet, or a problem with what to do about it. */
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { adviceFor, asProblem, type Problem } from '../../api/problem.ts';
import { Button } from '../button/button.tsx';
import styles from './states.module.css';

const ROWS = ['100%', '92%', '97%', '84%', '95%'];

export function Loading({ what = 'this page' }: { what?: string }) {
  return (
    <div className="box stack" role="status">
      <span className="visuallyHidden">Loading {what}…</span>
      {ROWS.map((width) => (
        <span key={width} className={styles['bone']} style={{ width }} />
      ))}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles['empty']}>
      <strong>{title}</strong>
      {children !== undefined && <div className={`muted ${styles['advice']}`}>{children}</div>}
    </div>
  );
}

export function ProblemBox({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const problem = asProblem(error);
  return (
    <div className={styles['problem']} role="alert">
      <strong>{problem.message}</strong>
      <Issues problem={problem} />
      <p className={styles['advice']}>{adviceFor(problem)}</p>
      {problem.requestId !== undefined && (
        <p className={styles['advice']}>
          Request <code>{problem.requestId}</code>
        </p>
      )}
      {onRetry !== undefined && (
        <div>
          <Button onClick={onRetry}>Try again</Button>
        </div>
      )}
    </div>
  );
}

function Issues({ problem }: { problem: Problem }) {
  if (problem.issues.length === 0) return null;
  return (
    <ul>
      {problem.issues.map(({ path, message }) => (
        <li key={`${path} ${message}`}>
          <code>{path}</code> {message}
        </li>
      ))}
    </ul>
  );
}

interface LoadedProps<Data> {
  query: UseQueryResult<Data>;
  /** What is being loaded, for who cannot see the page. */
  what: string;
  children: (data: Data) => ReactNode;
}

/** Shows the content when its data are there. Data stay visible while a later read fails, with a notice. */
export function Loaded<Data>({ query, what, children }: LoadedProps<Data>) {
  const { data, error, failureReason, refetch } = query;
  const trouble = error ?? failureReason;
  if (data === undefined) {
    if (trouble === null) return <Loading what={what} />;
    return <ProblemBox error={trouble} onRetry={() => void refetch()} />;
  }
  return (
    <>
      {trouble !== null && <Stale error={trouble} />}
      {children(data)}
    </>
  );
}

/** Says that a read failed whose page goes on without it. */
export function Stale({ error, what = 'You see what was read last.' }: { error: Error; what?: string }) {
  const problem = asProblem(error);
  return (
    <p className="stale" role="status">
      {problem.message.replace(/\.?$/, '.')} {what} {adviceFor(problem)}
    </p>
  );
}
