/** Takes a text that applies when the field is left, or by Enter: a filter then makes one call, not one a letter. */
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
