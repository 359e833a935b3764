/** Changes the name, the limit and the workspace of a key. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, read } from '../../api/client.ts';
import { formatUsd } from '../../format/numbers.ts';
import { Dialog } from '../../parts/dialog/dialog.tsx';
import { Form } from '../../parts/form/form.tsx';
import { draftOf, fieldsOf, type Key, KeyForm } from './key-form.tsx';

interface EditKeyProps {
  subject: Key;
  workspaces: readonly { id: string; name: string }[];
  onClose: () => void;
}

export function EditKey({ subject, workspaces, onClose }: EditKeyProps) {
  const { hash, name, workspace_id: workspaceId } = subject;
  const [draft, setDraft] = useState(() => draftOf(subject));
  const body = fieldsOf(draft);
  const spent = subject.limit === null ? subject.usage : subject.limit - (subject.limit_remaining ?? 0);
  const change = useMutation({
    mutationFn: () => read(api.PATCH('/keys/{hash}', { params: { path: { hash } }, body })),
    onSuccess: onClose,
  });
  return (
    <Dialog title={`Edit key “${name}”`} onClose={onClose}>
      <Form
        attempt={change}
        call={{ method: 'PATCH', path: `/keys/${hash}`, body }}
        action="Save"
        onCancel={onClose}
      >
        <KeyForm draft={draft} workspaces={workspaces} onChange={setDraft} />
        {draft.workspaceId !== workspaceId && (
          <p role="status">
            The key moves: its next requests count for the budgets of the other workspace, and use its vendor
            keys and presets.
          </p>
        )}
        {body.limit !== null && body.limit <= spent && (
          <p role="status">
            It has spent {formatUsd(spent)} of this limit: its next requests are refused until the limit
            begins again.
          </p>
        )}
      </Form>
    </Dialog>
  );
}
