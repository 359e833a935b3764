/** Takes texts that apply when the field is left, or by Enter: a filter then makes one call, not one a letter. */
import type { InputHTMLAttributes } from 'react';
import { TextField } from './field.tsx';

interface LazyTextFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'value'> {
  label: string;
  value: string | undefined;
  /** Receives the text; undefined if the field is empty. */
  onSet: (value: string | undefined) => void;
}

export function LazyTextField({ label, value = '', onSet, ...rest }: LazyTextFieldProps) {
  const apply = (text: string): void => {
    if (text.trim() !== value) onSet(text.trim() || undefined);
  };
  return (
    <TextField
      // A value that changed elsewhere begins the field again.
      key={value}
      label={label}
      defaultValue={value}
      spellCheck={false}
      onBlur={(event) => apply(event.target.value)}
      onKeyDown={(event) => event.key === 'Enter' && apply(event.currentTarget.value)}
      {...rest}
    />
  );
}

interface MomentFieldProps {
  label: string;
  /** In UTC, as the API writes it. */
  value: string | undefined;
  /** Receives the moment in UTC; undefined if the field is empty. */
  onSet: (value: string | undefined) => void;
}

export function MomentField({ label, value, onSet }: MomentFieldProps) {
  return (
    <LazyTextField
      label={label}
      type="datetime-local"
      value={value === undefined ? '' : toLocal(value)}
      onSet={(text) => onSet(text === undefined ? undefined : toUtc(text))}
    />
  );
}

/** Returns a moment as the browser's own field wants it: in the time zone of the person. */
function toLocal(moment: string): string {
  const at = new Date(moment);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function toUtc(local: string): string | undefined {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
