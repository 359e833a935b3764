/** Shows a control of a form with its label and a hint. */
import { useId, type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes } from 'react';
import styles from './field.module.css';

interface Labelled {
  label: string;
  hint?: ReactNode;
  /** What the API found wrong with the value. */
  problem?: string | undefined;
}

export function TextField({
  label,
  hint,
  problem,
  ...rest
}: Labelled & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      <input id={id} {...describedBy(id, { hint, problem })} {...rest} />
      <Hint id={id} hint={hint} problem={problem} />
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

export function SelectField({ label, hint, problem, options, onPick, ...rest }: SelectProps) {
  const id = useId();
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        {...describedBy(id, { hint, problem })}
        {...rest}
        onChange={(event) => onPick(event.target.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <Hint id={id} hint={hint} problem={problem} />
    </div>
  );
}

interface CheckProps extends Labelled {
  checked: boolean;
  onCheck: (checked: boolean) => void;
}

export function CheckField({ label, hint, problem, checked, onCheck }: CheckProps) {
  const id = useId();
  return (
    <div className={styles['field']}>
      <span className={styles['check']}>
        <input
          id={id}
          type="checkbox"
          checked={checked}
          {...describedBy(id, { hint, problem })}
          onChange={(event) => onCheck(event.target.checked)}
        />
        <label htmlFor={id}>{label}</label>
      </span>
      <Hint id={id} hint={hint} problem={problem} />
    </div>
  );
}

interface AreaProps extends Labelled {
  value: string;
  onChange: (value: string) => void;
}

export function AreaField({ label, hint, problem, value, onChange }: AreaProps) {
  const id = useId();
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        rows={4}
        {...describedBy(id, { hint, problem })}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <Hint id={id} hint={hint} problem={problem} />
    </div>
  );
}

type Described = Pick<Labelled, 'hint' | 'problem'>;

/** Joins a control with its hint and its problem, for screen readers. */
function describedBy(id: string, { hint, problem }: Described) {
  return {
    'aria-describedby': hint === undefined && problem === undefined ? undefined : `${id}-hint`,
    'aria-invalid': problem !== undefined,
  };
}

function Hint({ id, hint, problem }: Described & { id: string }) {
  if (hint === undefined && problem === undefined) return null;
  return (
    <span id={`${id}-hint`} className={styles['hint']}>
      {hint} {problem !== undefined && <strong role="alert">{problem}</strong>}
    </span>
  );
}

/** The fields of a form, one below the other. */
export function Fields({ children }: { children: ReactNode }) {
  return <div className={styles['fields']}>{children}</div>;
}
