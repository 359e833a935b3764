/** Changes the settings of a workspace. */
import { useState } from 'react';
import { callTo, type Schema } from '../../api/call.ts';
import { CheckField, TextField } from '../../parts/field/field.tsx';
import { Form } from '../../parts/form/form.tsx';
import { Card } from '../../parts/page/page.tsx';

export function Settings({ workspace }: { workspace: Schema<'Workspace'> }) {
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
  return (
    <Card title="Settings">
      <Form call={callTo('PATCH', '/workspaces/{id}', { path: { id }, body })} action="Save">
        <TextField label="Name" required value={name} onText={setName} />
        <TextField
          label="Default callback URL"
          hint="Receives the events of jobs without a callback URL of their own."
          type="url"
          value={callbackUrl}
          onText={setCallbackUrl}
        />
        <CheckField
          label="Log inputs and outputs"
          hint="Prompts and answers are kept, and shown on the pages of generations."
          checked={isLogged}
          onCheck={setIsLogged}
        />
        <CheckField
          label="Send generations to destinations"
          hint={
            !isBroadcast && workspace.is_observability_broadcast_enabled
              ? 'After saving, its destinations receive no more generations.'
              : undefined
          }
          checked={isBroadcast}
          onCheck={setIsBroadcast}
        />
      </Form>
    </Card>
  );
}
