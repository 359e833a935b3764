/** Shows a control of a form with its label and a hint. */
import { useId, type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes } from 'react';
import styles from './field.module.css';

interface Labelled {
  label: string;
  hint?: ReactNode;
}

export function TextField({ label, hint, ...rest }: Labelled & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      <input id={id} aria-describedby={hint === undefined ? undefined : `${id}-hint`} {...rest} />
      <Hint id={id}>{hint}</Hint>
    </div>
  );
}

export interface Option {
  value: string;
  label: string;
}

interface SelectProps extends Labelled, Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange'> {
  options: readonly Option[];
  onPick: (value: string) => void;
}

export function SelectField({ label, hint, options, onPick, ...rest }: SelectProps) {
  const id = useId();
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        {...rest}
        onChange={(event) => onPick(event.target.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <Hint id={id}>{hint}</Hint>
    </div>
  );
}

interface CheckProps extends Labelled {
  checked: boolean;
  onCheck: (checked: boolean) => void;
}

export function CheckField({ label, hint, checked, onCheck }: CheckProps) {
  const id = useId();
  return (
    <div className={styles['field']}>
      <span className={styles['check']}>
        <input
          id={id}
          type="checkbox"
          checked={checked}
          aria-describedby={hint === undefined ? undefined : `${id}-hint`}
          onChange={(event) => onCheck(event.target.checked)}
        />
        <label htmlFor={id}>{label}</label>
      </span>
      <Hint id={id}>{hint}</Hint>
    </div>
  );
}

function Hint({ id, children }: { id: string; children: ReactNode }) {
  if (children === undefined) return null;
  return (
    <span id={`${id}-hint`} className={styles['hint']}>
      {children}
    </span>
  );
}

/** The fields of a form, one below the other. */
export function Fields({ children }: { children: ReactNode }) {
  return <div className={styles['fields']}>{children}</div>;
}
