/** Changes the settings of a workspace. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, read } from '../../api/client.ts';
import type { components } from '../../../generated/api.d.ts';
import { Button } from '../../parts/button/button.tsx';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { DialogActions } from '../../parts/dialog/dialog.tsx';
import { CheckField, Fields, TextField } from '../../parts/field/field.tsx';
import { Card } from '../../parts/page/page.tsx';
import { ProblemBox } from '../../parts/states/states.tsx';

export function Settings({ workspace }: { workspace: components['schemas']['Workspace'] }) {
  const queries = useQueryClient();
  const { id } = workspace;
  const [name, setName] = useState(workspace.name);
  const [callbackUrl, setCallbackUrl] = useState(workspace.default_callback_url ?? '');
  const [isLogged, setIsLogged] = useState(workspace.is_observability_io_logging_enabled);
  const [isBroadcast, setIsBroadcast] = useState(workspace.is_observability_broadcast_enabled);
  const body = {
    name: name.trim(),
    default_callback_url: callbackUrl.trim() || null,
    is_observability_io_logging_enabled: isLogged,
    is_observability_broadcast_enabled: isBroadcast,
  };
  const save = useMutation({
    mutationFn: () => read(api.PATCH('/workspaces/{id}', { params: { path: { id } }, body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['workspace', id] }),
  });
  return (
    <Card title="Settings">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!save.isPending) save.mutate();
        }}
      >
        <Fields>
          <TextField label="Name" required value={name} onChange={(event) => setName(event.target.value)} />
          <TextField
            label="Default callback URL"
            hint="Receives the events of jobs without a callback URL of their own."
            type="url"
            value={callbackUrl}
            onChange={(event) => setCallbackUrl(event.target.value)}
          />
          <CheckField
            label="Log inputs and outputs"
            hint="Prompts and answers are kept, and shown on the pages of generations."
            checked={isLogged}
            onCheck={setIsLogged}
          />
          <CheckField
            label="Send generations to destinations"
            checked={isBroadcast}
            onCheck={setIsBroadcast}
          />
          {save.error !== null && <ProblemBox error={save.error} />}
          <DialogActions>
            <CopyCurl call={{ method: 'PATCH', path: `/workspaces/${id}`, body }} />
            <Button look="main" type="submit" busy={save.isPending}>
              Save
            </Button>
          </DialogActions>
        </Fields>
      </form>
    </Card>
  );
}
