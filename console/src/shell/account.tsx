/** Shows who is signed in, until when, and the way out. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ofPages, sessionQuery, signOut, type Session } from '../api/session.ts';
import { formatFull, formatUtc } from '../format/moments.ts';
import { Button } from '../parts/button/button.tsx';
import styles from './shell.module.css';

export function Account({ session: { key, expires_at: end } }: { session: Session }) {
  const queries = useQueryClient();
  const leave = useMutation({
    mutationFn: signOut,
    onSuccess() {
      queries.setQueryData(sessionQuery.queryKey, null);
      queries.removeQueries(ofPages);
    },
  });
  return (
    <div className={styles['account']}>
      <strong>{key.kind === 'management' ? 'Management key' : 'Regular key'}</strong>
      <small>
        <code>{key.label}</code>
        <br />
        <span title={formatUtc(end)}>Signed in until {formatFull(end)}</span>
      </small>
      <Button busy={leave.isPending} onClick={() => leave.mutate()}>
        Sign out
      </Button>
      {leave.isError && <p role="alert">Signing out failed: {leave.error.message}</p>}
    </div>
  );
}
