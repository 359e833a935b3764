/** Takes a moment in the time zone of the person, by the browser's own field. It applies when the field is left. */
import { LazyTextField } from './lazy-text-field.tsx';

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
