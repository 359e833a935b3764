/** Lists the pages that the session may read, and where else to look. */
import { Link, type LinkProps } from '@tanstack/react-router';
import { mayManage, useSession } from '../api/session.ts';
import styles from './navigation.module.css';

interface Entry {
  to: NonNullable<LinkProps['to']>;
  name: string;
  /** True: the page reads what only management keys may read. */
  needsManagement?: true;
}

export const ENTRIES: readonly Entry[] = [
  { to: '/overview', name: 'Overview', needsManagement: true },
  { to: '/playground', name: 'Playground' },
  { to: '/generations', name: 'Generations' },
  { to: '/jobs', name: 'Jobs' },
  { to: '/syncs', name: 'Directory syncs', needsManagement: true },
  { to: '/validations', name: 'Endpoint checks', needsManagement: true },
  { to: '/models', name: 'Models' },
  { to: '/keys', name: 'Keys', needsManagement: true },
  { to: '/workspaces', name: 'Workspaces', needsManagement: true },
  { to: '/webhooks', name: 'Webhooks', needsManagement: true },
  { to: '/destinations', name: 'Destinations', needsManagement: true },
];

export function Navigation({ onPick }: { onPick?: () => void }) {
  const session = useSession();
  const entries = ENTRIES.filter(({ needsManagement }) => !needsManagement || mayManage(session));
  return (
    <nav aria-label="Pages" className="stack">
      <ul className="plainList">
        {entries.map(({ to, name }) => (
          <li key={name}>
            <Link to={to} className={styles['link']} onClick={onPick}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
      <ul className={`plainList ${styles['elsewhere']}`}>
        <li>
          <a className={styles['link']} href="/docs">
            API reference
          </a>
        </li>
        {session.temporal_ui_url !== null && /^https?:/.test(session.temporal_ui_url) && (
          <li>
            <a className={styles['link']} href={session.temporal_ui_url} target="_blank" rel="noreferrer">
              Temporal UI
            </a>
          </li>
        )}
      </ul>
    </nav>
  );
}
