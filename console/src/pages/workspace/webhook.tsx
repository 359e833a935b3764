/** Replaces the secret that signs the events of a workspace, and sends a test event to its receiver. */
import { useState } from 'react';
import { callTo } from '../../api/call.ts';
import { formatFull } from '../../format/moments.ts';
import { Confirm, DialogButton, ShownOnce } from '../../parts/dialog/dialog.tsx';
import { TextField } from '../../parts/field/field.tsx';
import { TryCard } from '../../parts/form/try-card.tsx';
import { Card } from '../../parts/page/page.tsx';

interface Rotated {
  secret: string;
  previous_secret_expires_at: string | null;
}

export function WebhookSecret({ id }: { id: string }) {
  const [rotated, setRotated] = useState<Rotated>();
  const rotate = (
    <DialogButton label="Rotate">
      {(close) => (
        <Confirm
          title="Rotate the secret?"
          action="Rotate secret"
          call={callTo('POST', '/workspaces/{id}/webhook-secret/rotate', { path: { id } })}
          onDone={({ data }) => setRotated(data)}
          onClose={close}
        >
          <p>
            The present secret signs too for 24 hours. Give the new one to all receivers within that time.
          </p>
        </Confirm>
      )}
    </DialogButton>
  );
  return (
    <Card title="Secret of the webhook" actions={rotate}>
      <p>Receivers check the signature of events with it.</p>
      {rotated !== undefined && (
        <ShownOnce
          title="The new secret"
          what="secret"
          secret={rotated.secret}
          onClose={() => setRotated(undefined)}
        >
          <p>Copy it now: it is shown only once.</p>
          {rotated.previous_secret_expires_at !== null && (
            <p>The previous secret signs too until {formatFull(rotated.previous_secret_expires_at)}.</p>
          )}
        </ShownOnce>
      )}
    </Card>
  );
}

export function WebhookTest({ id }: { id: string }) {
  const [url, setUrl] = useState('');
  const body = url.trim() === '' ? {} : { url: url.trim() };
  const call = callTo('POST', '/workspaces/{id}/webhook/test', { path: { id }, body });
  const hint = 'Empty: the default callback URL.';
  return (
    <TryCard title="Test of the webhook" call={call} action="Send a test event">
      {(answer) => (
        <>
          <TextField label="URL" hint={hint} type="url" value={url} onText={setUrl} />
          {answer !== undefined && (
            <div role="status">
              <p>
                {answer.data.passed ? 'The receiver accepted it' : 'The receiver did not accept it'}
                {answer.data.status_code !== null && ` with status ${answer.data.status_code}`}.{' '}
                {answer.data.reason}
              </p>
              {answer.data.response_excerpt && <pre>{answer.data.response_excerpt}</pre>}
            </div>
          )}
        </>
      )}
    </TryCard>
  );
}
