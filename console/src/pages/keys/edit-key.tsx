/** Changes the name, the limit and the workspace of a key. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, read } from '../../api/client.ts';
import { Button } from '../../parts/button/button.tsx';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { Dialog, DialogActions } from '../../parts/dialog/dialog.tsx';
import { Fields } from '../../parts/field/field.tsx';
import { ProblemBox } from '../../parts/states/states.tsx';
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
  const change = useMutation({
    mutationFn: () => read(api.PATCH('/keys/{hash}', { params: { path: { hash } }, body })),
    onSuccess: onClose,
  });
  return (
    <Dialog title={`Edit key “${name}”`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!change.isPending) change.mutate();
        }}
      >
        <Fields>
          <KeyForm draft={draft} workspaces={workspaces} onChange={setDraft} />
          {draft.workspaceId !== workspaceId && (
            <p role="status">
              The key moves: its next requests count for the budgets of the other workspace, and use its
              vendor keys and presets.
            </p>
          )}
          {change.error !== null && <ProblemBox error={change.error} />}
          <DialogActions>
            <CopyCurl call={{ method: 'PATCH', path: `/keys/${hash}`, body }} />
            <Button onClick={onClose}>Cancel</Button>
            <Button look="main" type="submit" busy={change.isPending}>
              Save
            </Button>
          </DialogActions>
        </Fields>
      </form>
    </Dialog>
  );
}
