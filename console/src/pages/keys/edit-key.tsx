/** Changes the name, the limit and the workspace of a key. */
import { useState } from 'react';
import { callTo } from '../../api/call.ts';
import { formatUsd } from '../../format/numbers.ts';
import { DialogForm } from '../../parts/form/form.tsx';
import { draftOf, fieldsOf, type Key, KeyForm } from './key-form.tsx';

export function EditKey({ subject, onClose }: { subject: Key; onClose: () => void }) {
  const { hash, name, workspace_id: workspaceId } = subject;
  const [draft, setDraft] = useState(() => draftOf(subject));
  const body = fieldsOf(draft);
  const spent = subject.limit === null ? subject.usage : subject.limit - (subject.limit_remaining ?? 0);
  return (
    <DialogForm
      title={`Edit key “${name}”`}
      call={callTo('PATCH', '/keys/{hash}', { path: { hash }, body })}
      action="Save"
      onClose={onClose}
    >
      <KeyForm draft={draft} onChange={setDraft} />
      {draft.workspaceId !== workspaceId && (
        <p role="status">
          The key moves: its next requests count for the budgets of the other workspace, and use its vendor
          keys and presets.
        </p>
      )}
      {body.limit !== null && body.limit <= spent && (
        <p role="status">
          It has spent {formatUsd(spent)} of this limit: its next requests are refused until the limit begins
          again.
        </p>
      )}
    </DialogForm>
  );
}
