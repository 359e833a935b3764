/** Signs people in with an API key or a one-time link, at whatever address they opened. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { asProblem, type Problem } from '../../api/problem.ts';
import { ofPages, sessionQuery, signIn, type Credential } from '../../api/session.ts';
import { Button } from '../../parts/button/button.tsx';
import { TextField } from '../../parts/field/field.tsx';
import icon from '../../shell/icon.svg';
import { takeLink } from './take-link.ts';
import styles from './sign-in.module.css';

export function SignIn() {
  const queries = useQueryClient();
  const [key, setKey] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: (credential: Credential) => signIn(credential),
    onSuccess(session) {
      queries.removeQueries(ofPages);
      queries.setQueryData(sessionQuery.queryKey, session);
    },
  });
  useEffect(() => {
    document.title = 'Sign in · Sluice';
    const link = takeLink();
    if (link !== undefined) mutate({ link });
  }, [mutate]);
  return (
    <main className={styles['place']}>
      <form
        className={styles['card']}
        onSubmit={(event) => {
          event.preventDefault();
          if (key.trim() !== '' && !isPending) mutate({ api_key: key.trim() });
        }}
      >
        <img src={icon} alt="" width="40" height="40" />
        <h1>Sign in to Sluice</h1>
        <p className="muted">
          A management key sees the whole organization. A regular key sees its workspace and can use the
          playground. The key is exchanged for a session and is not kept in this browser.
        </p>
        <TextField
          label="API key"
          type="password"
          autoComplete="off"
          spellCheck={false}
          placeholder="sk-…"
          required
          autoFocus
          value={key}
          onText={setKey}
        />
        {error !== null && (
          <p className="stale" role="alert">
            {sayWhy(asProblem(error))}
          </p>
        )}
        <Button look="main" type="submit" busy={isPending}>
          {isPending ? 'Signing in…' : 'Sign in'}
        </Button>
        <p className="muted">
          On a laptop, <code>npm start</code> prints a link that signs you in, and <code>.data/dev.json</code>{' '}
          has both keys.
        </p>
      </form>
    </main>
  );
}

function sayWhy({ status, message }: Problem): string {
  if (status === 401)
    return 'This key or link is not valid. Links work once: ask for a new one, or use a key.';
  if (status === 429) return 'Too many wrong keys from your address. Wait a minute, then try again.';
  return message;
}
