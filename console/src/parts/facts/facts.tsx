/** Shows names and values of one thing. */
import type { ReactNode } from 'react';
import styles from './facts.module.css';

/** Pairs of a name and its value. Values that are undefined are left out. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={styles['facts']}>
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name} className={styles['fact']}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
