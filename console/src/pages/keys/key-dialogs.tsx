/** Creates a key, which is shown once, changes one, and disables, enables and deletes one, after asking. */
import { useState } from 'react';
import { callTo, useIdempotencyKey } from '../../api/call.ts';
import { formatUsd } from '../../format/numbers.ts';
import { Confirm, ShownOnce } from '../../parts/dialog/dialog.tsx';
import { DialogForm } from '../../parts/form/form.tsx';
import { Moment } from '../../parts/value/value.tsx';
import { draftOf, fieldsOf, type Key, KeyForm, NEW_DRAFT } from './key-form.tsx';

interface CreateKeyProps {
  workspaceId: string | undefined;
  onClose: () => void;
}

export function CreateKey({ workspaceId = '', onClose }: CreateKeyProps) {
  const [draft, setDraft] = useState({ ...NEW_DRAFT, workspaceId });
  const [created, setCreated] = useState<{ key: string; data: { name: string } }>();
  const headers = useIdempotencyKey();
  if (created !== undefined) {
    return (
      <ShownOnce title="Your new key" what="key" secret={created.key} onClose={onClose}>
        <p>
          Copy the key “<bdi>{created.data.name}</bdi>” now. It is shown only once, and nobody can read it
          later.
        </p>
      </ShownOnce>
    );
  }
  return (
    <DialogForm
      title="Create key"
      call={callTo('POST', '/keys', { body: fieldsOf(draft), headers })}
      action="Create key"
      onDone={setCreated}
      onClose={onClose}
    >
      <KeyForm draft={draft} onChange={setDraft} />
    </DialogForm>
  );
}

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

interface EndKeyProps {
  subject: Key;
  onClose: () => void;
}

export function SwitchKey({ subject: { hash, name, disabled, last_used_at: used }, onClose }: EndKeyProps) {
  const [path, body] = [{ hash }, { disabled: !disabled }];
  return (
    <Confirm
      title={`${disabled ? 'Enable' : 'Disable'} “${name}”?`}
      action={disabled ? 'Enable key' : 'Disable key'}
      call={callTo('PATCH', '/keys/{hash}', { path, body })}
      onClose={onClose}
    >
      {disabled ? (
        <p>Requests with this key are accepted again.</p>
      ) : (
        <p>
          Within a second, every request with this key is refused, and sessions of this console that began
          with it end. <LastUse at={used} />
        </p>
      )}
    </Confirm>
  );
}

export function DeleteKey({ subject: { hash, name, last_used_at: used }, onClose }: EndKeyProps) {
  return (
    <Confirm
      title={`Delete “${name}”?`}
      action="Delete key"
      call={callTo('DELETE', '/keys/{hash}', { path: { hash } })}
      onClose={onClose}
    >
      <p>
        The key stops working within a second and cannot be brought back. Its usage stays in the overview.{' '}
        <LastUse at={used} />
      </p>
    </Confirm>
  );
}

function LastUse({ at }: { at: string | null }) {
  if (at === null) return <>It was never used.</>;
  return (
    <>
      It was last used <Moment at={at} isRelative />.
    </>
  );
}
