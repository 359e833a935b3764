/** Shows a modal dialog of the browser itself, which holds the focus: to ask, or to show a secret once. */
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import type { Call } from '../../api/call.ts';
import { Button, type ButtonProps } from '../button/button.tsx';
import { CopyButton, CopyCurl } from '../copy/copy.tsx';
import { Fields } from '../field/field.tsx';
import { ProblemBox } from '../states/states.tsx';
import styles from './dialog.module.css';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** False: Escape does not close it, for what is shown only once. */
  closesByEscape?: boolean;
}

/** Is open as long as it is rendered. */
export function Dialog({ title, onClose, children, closesByEscape = true }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    // A dialog that closes before it is removed gives the focus back to what opened it.
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={element}
      className={styles['dialog']}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        if (closesByEscape) onClose();
      }}
    >
      <div className={`row spread ${styles['head']}`}>
        <h2 id={titleId}>{title}</h2>
        {closesByEscape && (
          <Button look="quiet" aria-label="Close" onClick={onClose}>
            ✕
          </Button>
        )}
      </div>
      {children}
    </dialog>
  );
}

/** The buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={styles['actions']}>{children}</div>;
}

interface DialogButtonProps extends Omit<ButtonProps, 'children' | 'onClick'> {
  label: string;
  /** Returns the dialog, which closes itself by the function. */
  children: (close: () => void) => ReactNode;
}

/** Shows a button that opens a dialog. */
export function DialogButton({ label, children, ...button }: DialogButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button {...button} onClick={() => setIsOpen(true)}>
        {label}
      </Button>
      {isOpen && children(() => setIsOpen(false))}
    </>
  );
}

interface ConfirmProps<Data> {
  title: string;
  /** The word on the button: "Delete key". */
  action: string;
  call: Call<Data>;
  /** False: the action waits for what the person still has to choose. */
  isReady?: boolean;
  onDone?: (data: Data) => void;
  /** Called after the action, and when the person changes their mind. */
  onClose: () => void;
  children: ReactNode;
}

export function Confirm<Data>(props: ConfirmProps<Data>) {
  const { title, action, call, isReady = true, onDone, onClose, children } = props;
  const attempt = useMutation({
    mutationFn: () => call.send(),
    onSuccess(data) {
      onDone?.(data);
      onClose();
    },
  });
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {attempt.error !== null && <ProblemBox error={attempt.error} />}
      <DialogActions>
        <CopyCurl call={call} />
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" busy={attempt.isPending} disabled={!isReady} onClick={() => attempt.mutate()}>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

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
