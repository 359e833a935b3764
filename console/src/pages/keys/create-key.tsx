/** Creates a key, and shows it once. */
import { useState } from 'react';
import { callTo, useIdempotencyKey } from '../../api/call.ts';
import { ShownOnce } from '../../parts/dialog/shown-once.tsx';
import { DialogForm } from '../../parts/form/form.tsx';
import { fieldsOf, KeyForm, NEW_DRAFT } from './key-form.tsx';

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
