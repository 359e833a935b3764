/** Creates a key, and shows it once. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, read } from '../../api/client.ts';
import { Button } from '../../parts/button/button.tsx';
import { CopyButton } from '../../parts/copy/copy.tsx';
import { Dialog, DialogActions } from '../../parts/dialog/dialog.tsx';
import { Fields } from '../../parts/field/field.tsx';
import { Form } from '../../parts/form/form.tsx';
import { fieldsOf, KeyForm, NEW_DRAFT } from './key-form.tsx';
import styles from './keys.module.css';

interface CreateKeyProps {
  workspaces: readonly { id: string; name: string }[];
  workspaceId: string | undefined;
  onClose: () => void;
}

export function CreateKey({ workspaces, workspaceId = '', onClose }: CreateKeyProps) {
  const [draft, setDraft] = useState({ ...NEW_DRAFT, workspaceId });
  // A second click, or a repetition after a lost answer, creates no second key.
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const create = useMutation({
    mutationFn: () =>
      read(api.POST('/keys', { body: fieldsOf(draft), headers: { 'Idempotency-Key': idempotencyKey } })),
  });
  if (create.data !== undefined)
    return <NewKey token={create.data.key} name={create.data.data.name} onClose={onClose} />;
  return (
    <Dialog title="Create key" onClose={onClose}>
      <Form
        attempt={create}
        call={{ method: 'POST', path: '/keys', body: fieldsOf(draft) }}
        action="Create key"
        onCancel={onClose}
      >
        <KeyForm draft={draft} workspaces={workspaces} onChange={setDraft} />
      </Form>
    </Dialog>
  );
}

interface NewKeyProps {
  token: string;
  name: string;
  onClose: () => void;
}

function NewKey({ token, name, onClose }: NewKeyProps) {
  return (
    <Dialog title="Your new key" onClose={onClose} closesByEscape={false}>
      <Fields>
        <p>
          Copy the key “<bdi>{name}</bdi>” now. It is shown only once, and nobody can read it later.
        </p>
        <pre className={styles['token']} data-testid="new-key">
          {token}
        </pre>
        <DialogActions>
          <CopyButton label="Copy key" look="main" text={() => token} />
          <Button onClick={onClose}>I have copied it</Button>
        </DialogActions>
      </Fields>
    </Dialog>
  );
}
