/** Replaces the secret that signs the events of a workspace, and shows the new one once. */
import { useState } from 'react';
import { callTo } from '../../api/call.ts';
import { formatFull } from '../../format/moments.ts';
import { Confirm } from '../../parts/dialog/confirm.tsx';
import { DialogButton } from '../../parts/dialog/dialog-button.tsx';
import { ShownOnce } from '../../parts/dialog/shown-once.tsx';
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
