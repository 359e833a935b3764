/** Lays out a page: its title, what it is about, its actions, and its content. */
import { useEffect, type ReactNode } from 'react';
import type { CurlCall as Call } from '../../api/curl.ts';
import { CopyCurl } from '../copy/copy.tsx';
import styles from './page.module.css';

export interface PageProps {
  title: string;
  about?: ReactNode;
  /** What the page shows, for who repeats it in a terminal. */
  call?: Call;
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, about, call, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Sluice`;
  }, [title]);
  return (
    <div className={styles['page']}>
      <header className={styles['head']}>
        <div className={styles['words']}>
          <h1>{title}</h1>
          {about !== undefined && <p className={`muted ${styles['about']}`}>{about}</p>}
        </div>
        <Actions call={call}>{actions}</Actions>
      </header>
      {children}
    </div>
  );
}

interface CardProps {
  title: string;
  call?: Call;
  actions?: ReactNode;
  children: ReactNode;
}

/** A part of a page with a border of its own. */
export function Card({ title, call, actions, children }: CardProps) {
  return (
    <section className="box stack">
      <div className="row spread">
        <h2>{title}</h2>
        <Actions call={call}>{actions}</Actions>
      </div>
      {children}
    </section>
  );
}

function Actions({ call, children }: { call: Call | undefined; children: ReactNode }) {
  if (call === undefined && children === undefined) return null;
  return (
    <div className="row">
      {call !== undefined && <CopyCurl call={call} />}
      {children}
    </div>
  );
}

/** A row of controls above a list. */
export function Toolbar({ children, label }: { children: ReactNode; label: string }) {
  return (
    <div role="group" aria-label={label} className={styles['toolbar']}>
      {children}
    </div>
  );
}

/** Two columns on wide screens, one on others. */
export function Columns({ children }: { children: ReactNode }) {
  return <div className={styles['columns']}>{children}</div>;
}
