/** Shows names and values of one thing. */
import type { ReactNode } from 'react';
import styles from './facts.module.css';

/** Values by their names. Those that are undefined or null are left out. */
export function Facts({ facts }: { facts: Record<string, ReactNode> }) {
  return (
    <dl className={styles['facts']}>
      {Object.entries(facts)
        .filter(([, value]) => value != null)
        .map(([name, value]) => (
          <div key={name} className={styles['fact']}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
