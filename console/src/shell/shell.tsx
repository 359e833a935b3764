/** Surrounds each page: signs people in, lists the pages, and shows who is signed in. */
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { mayManage, sessionQuery, type Session } from '../api/session.ts';
import { Button } from '../parts/button/button.tsx';
import { Page } from '../parts/page/page.tsx';
import { Empty, Loading, ProblemBox } from '../parts/states/states.tsx';
import { SignIn } from '../pages/sign-in/sign-in.tsx';
import { Account } from './account.tsx';
import icon from './icon.svg';
import { keepFocus } from './keep-focus.ts';
import { ENTRIES, Navigation } from './navigation.tsx';
import styles from './shell.module.css';

export function Shell() {
  const { data: session, error, failureReason, refetch } = useQuery(sessionQuery);
  useEffect(keepFocus, []);
  if (session === undefined) {
    const trouble = error ?? failureReason;
    return (
      <main className={styles['alone']}>
        {trouble === null ? (
          <Loading what="your session" />
        ) : (
          <ProblemBox error={trouble} onRetry={() => void refetch()} />
        )}
      </main>
    );
  }
  return session === null ? <SignIn /> : <Frame session={session} />;
}

function Frame({ session }: { session: Session }) {
  const menu = useRef<HTMLDivElement>(null);
  return (
    <div className={styles['frame']}>
      <a className={styles['skip']} href="#content">
        Skip to the content
      </a>
      <header className={styles['side']}>
        <Link to="/" className={styles['brand']}>
          <img src={icon} alt="" width="26" height="26" />
          Sluice
        </Link>
        <Button className={styles['menuButton']} popoverTarget="menu">
          Menu
        </Button>
        <div id="menu" popover="auto" ref={menu} className={styles['menu']}>
          <Navigation onPick={() => menu.current?.hidePopover?.()} />
          <Account session={session} />
        </div>
        <div className={styles['wide']}>
          <Navigation />
          <Account session={session} />
        </div>
      </header>
      <main id="content" className={styles['content']} tabIndex={-1}>
        <Permitted session={session} />
      </main>
    </div>
  );
}

/** Shows the page if the session may read it. */
function Permitted({ session }: { session: Session }) {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const entry = ENTRIES.find(({ to }) => path === to || path.startsWith(`${to}/`));
  if (entry?.needsManagement && !mayManage(session)) {
    return (
      <Page title={entry.name}>
        <Empty title="Your key may not read this page.">
          This page needs a management key. Sign out, and sign in with one.
        </Empty>
      </Page>
    );
  }
  return <Outlet />;
}
