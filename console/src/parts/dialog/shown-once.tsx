/** Shows a new secret, which nobody can read later. It closes only by its button. */
import type { ReactNode } from 'react';
import { Button } from '../button/button.tsx';
import { CopyButton } from '../copy/copy.tsx';
import { Fields } from '../field/field.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import styles from './dialog.module.css';

interface ShownOnceProps {
  title: string;
  /** What it is: "key". */
  what: string;
  secret: string;
  onClose: () => void;
  children: ReactNode;
}

export function ShownOnce({ title, what, secret, onClose, children }: ShownOnceProps) {
  return (
    <Dialog title={title} onClose={onClose} closesByEscape={false}>
      <Fields>
        {children}
        <pre className={styles['secret']} data-testid={`new-${what}`}>
          {secret}
        </pre>
        <DialogActions>
          <CopyButton label={`Copy ${what}`} look="main" text={() => secret} />
          <Button onClick={onClose}>I have copied it</Button>
        </DialogActions>
      </Fields>
    </Dialog>
  );
}
