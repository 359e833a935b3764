/** Replaces the secret that signs the events of a workspace, and shows the new one once. */
import { useState } from 'react';
import { api, read } from '../../api/client.ts';
import { formatFull } from '../../format/moments.ts';
import { Button } from '../../parts/button/button.tsx';
import { CopyButton } from '../../parts/copy/copy.tsx';
import { Confirm } from '../../parts/dialog/confirm.tsx';
import { Dialog, DialogActions } from '../../parts/dialog/dialog.tsx';
import { Card } from '../../parts/page/page.tsx';

interface Rotated {
  secret: string;
  previous_secret_expires_at: string | null;
}

export function WebhookSecret({ id }: { id: string }) {
  const [asks, setAsks] = useState(false);
  const [rotated, setRotated] = useState<Rotated>();
  const rotate = async (): Promise<void> => {
    const { data } = await read(
      api.POST('/workspaces/{id}/webhook-secret/rotate', { params: { path: { id } } }),
    );
    setRotated(data);
  };
  return (
    <Card title="Secret of the webhook" actions={<Button onClick={() => setAsks(true)}>Rotate</Button>}>
      <p>Receivers check the signature of events with it.</p>
      {asks && (
        <Confirm
          title="Rotate the secret?"
          action="Rotate secret"
          call={{ method: 'POST', path: `/workspaces/${id}/webhook-secret/rotate` }}
          run={rotate}
          onClose={() => setAsks(false)}
        >
          <p>
            The present secret signs too for 24 hours. Give the new one to all receivers within that time.
          </p>
        </Confirm>
      )}
      {rotated !== undefined && (
        <Dialog title="The new secret" onClose={() => setRotated(undefined)} closesByEscape={false}>
          <p>Copy it now: it is shown only once.</p>
          <pre>{rotated.secret}</pre>
          {rotated.previous_secret_expires_at !== null && (
            <p>The previous secret signs too until {formatFull(rotated.previous_secret_expires_at)}.</p>
          )}
          <DialogActions>
            <CopyButton label="Copy secret" look="main" text={() => rotated.secret} />
            <Button onClick={() => setRotated(undefined)}>I have copied it</Button>
          </DialogActions>
        </Dialog>
      )}
    </Card>
  );
}
