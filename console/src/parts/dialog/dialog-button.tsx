/** Shows a button that opens a dialog. */
import { type ReactNode, useState } from 'react';
import { Button, type ButtonProps } from '../button/button.tsx';

interface DialogButtonProps extends Omit<ButtonProps, 'children' | 'onClick'> {
  label: string;
  /** Returns the dialog, which closes itself by the function. */
  children: (close: () => void) => ReactNode;
}

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
