/** Shows a modal dialog of the browser itself: it holds the focus, and Escape closes it. */
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { Button } from '../button/button.tsx';
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
  useEffect(() => {
    const dialog = element.current;
    if (dialog?.open === false) dialog.showModal();
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
