/** Shows a control of a form with its label and a hint. */
import { useId, type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes } from 'react';
import { buttonClass } from '../button/button.tsx';
import styles from './field.module.css';

interface Labelled {
  label: string;
  hint?: ReactNode;
  /** What the API found wrong with the value. */
  problem?: string | undefined;
}

interface FieldProps extends Labelled {
  /** True: the label follows its control, as that of a box to check does. */
  isCheck?: boolean;
  children: (control: { id: string; 'aria-describedby'?: string; 'aria-invalid': boolean }) => ReactNode;
}

/** Joins a control with its label, its hint and its problem, also for screen readers. */
function Field({ label, hint, problem, isCheck = false, children }: FieldProps) {
  const id = useId();
  const isDescribed = hint !== undefined || problem !== undefined;
  return (
    <div className={styles['field']}>
      <span className={styles[isCheck ? 'check' : 'control']}>
        <label htmlFor={id}>{label}</label>
        {children({
          id,
          'aria-describedby': isDescribed ? `${id}-hint` : undefined,
          'aria-invalid': problem !== undefined,
        })}
      </span>
      {isDescribed && (
        <small id={`${id}-hint`}>
          {hint} {problem !== undefined && <strong role="alert">{problem}</strong>}
        </small>
      )}
    </div>
  );
}

interface TextProps extends Labelled, InputHTMLAttributes<HTMLInputElement> {
  onText?: (text: string) => void;
}

export function TextField({ label, hint, problem, onText, ...rest }: TextProps) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(control) => <input {...control} onChange={(event) => onText?.(event.target.value)} {...rest} />}
    </Field>
  );
}

export interface Option {
  value: string;
  label: string;
}

/** Returns options that read as they are written in the API, after one for no choice. */
export function optionsOf(values: readonly string[], none = 'Any'): Option[] {
  return [
    { value: '', label: none },
    ...values.map((value) => ({ value, label: value.replaceAll('_', ' ') })),
  ];
}

interface SelectProps extends Labelled, Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange'> {
  options: readonly Option[];
  onPick: (value: string) => void;
}

export function SelectField({ label, hint, problem, options, onPick, ...rest }: SelectProps) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(control) => (
        <select {...control} {...rest} onChange={(event) => onPick(event.target.value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface SegmentsProps<Value extends string> {
  label: string;
  /** The values, with the words for them. */
  options: Record<Value, string>;
  value: Value;
  onPick: (value: Value) => void;
}

/** Chooses one of a few values by one click, or by the arrow keys. */
export function Segments<Value extends string>({ label, options, value, onPick }: SegmentsProps<Value>) {
  const group = useId();
  return (
    <fieldset className={styles['segments']}>
      <legend>{label}</legend>
      {(Object.keys(options) as Value[]).map((option) => (
        <label key={option} className={buttonClass()}>
          <input type="radio" name={group} checked={option === value} onChange={() => onPick(option)} />
          {options[option]}
        </label>
      ))}
    </fieldset>
  );
}

interface CheckProps extends Labelled {
  checked: boolean;
  onCheck: (checked: boolean) => void;
}

export function CheckField({ checked, onCheck, ...labelled }: CheckProps) {
  return (
    <Field {...labelled} isCheck>
      {(control) => (
        <input
          {...control}
          type="checkbox"
          checked={checked}
          onChange={(event) => onCheck(event.target.checked)}
        />
      )}
    </Field>
  );
}

interface AreaProps extends Labelled {
  value: string;
  onText: (value: string) => void;
}

export function AreaField({ value, onText, ...labelled }: AreaProps) {
  return (
    <Field {...labelled}>
      {(control) => (
        <textarea {...control} rows={4} value={value} onChange={(event) => onText(event.target.value)} />
      )}
    </Field>
  );
}

/** The fields of a form, one below the other. */
export function Fields({ children }: { children: ReactNode }) {
  return <div className="stack">{children}</div>;
}

/** Suggests values to a field that has this id as its `list`. */
export function Suggested({ id, values }: { id: string; values: readonly { id: string; name: string }[] }) {
  return (
    <datalist id={id}>
      {values.map((value) => (
        <option key={value.id} value={value.id}>
          {value.name}
        </option>
      ))}
    </datalist>
  );
}
