/** Shows buttons and links that look like them. */
import type { ButtonHTMLAttributes } from 'react';
import styles from './button.module.css';

type Look = 'plain' | 'main' | 'quiet' | 'danger';

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look;
  /** True while the action runs: the button then does nothing, and says so. */
  busy?: boolean;
}

export function Button({ look = 'plain', busy = false, type = 'button', className, ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      aria-disabled={busy || rest['aria-disabled']}
      aria-busy={busy}
      onClick={busy ? (event) => event.preventDefault() : rest.onClick}
      className={`${buttonClass(look)} ${className ?? ''}`}
    />
  );
}

/** Returns the class of a link that looks like a button. */
export function buttonClass(look: Look = 'plain'): string {
  return `${styles['button']} ${styles[look]}`;
}
