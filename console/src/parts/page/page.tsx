/** Lays out a page: its title, what it is about, its actions, and its content. */
import { useEffect, type ReactNode } from 'react';
import styles from './page.module.css';

interface PageProps {
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, about, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Sluice`;
  }, [title]);
  return (
    <div className={styles['page']}>
      <header className={styles['head']}>
        <div className={styles['words']}>
          <h1>{title}</h1>
          {about !== undefined && <p className={styles['about']}>{about}</p>}
        </div>
        {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface CardProps {
  title?: string;
  actions?: ReactNode;
  children: ReactNode;
}

/** A part of a page with a border of its own. */
export function Card({ title, actions, children }: CardProps) {
  return (
    <section className={styles['card']}>
      {title !== undefined && (
        <div className={styles['cardHead']}>
          <h2>{title}</h2>
          {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
        </div>
      )}
      {children}
    </section>
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

/** Cards one below the other, in a column. */
export function Stack({ children }: { children: ReactNode }) {
  return <div className={styles['stack']}>{children}</div>;
}

/** Two columns on wide screens, one on others. */
export function Columns({ children }: { children: ReactNode }) {
  return <div className={styles['columns']}>{children}</div>;
}
