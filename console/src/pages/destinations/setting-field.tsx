/** Shows the field of one setting, as its schema describes it. */
import { AreaField, CheckField, SelectField, TextField } from '../../parts/field/field.tsx';
import type { Setting } from './schemas.ts';

/** What fields hold: a text, or a choice of yes or no. Empty texts are not sent. */
export type Draft = Record<string, string | boolean>;

interface SettingFieldProps {
  name: string;
  setting: Setting;
  value: string | boolean | undefined;
  isRequired: boolean;
  /** The mask of the present secret. An empty field leaves it as it is. */
  mask?: string | undefined;
  problem: string | undefined;
  onChange: (value: string | boolean) => void;
}

export function SettingField(props: SettingFieldProps) {
  const { name, setting, value: draft, isRequired, mask, problem, onChange } = props;
  const common = { label: labelOf(name), hint: setting.description, problem };
  if (setting.type === 'boolean') {
    return <CheckField {...common} checked={draft === true} onCheck={onChange} />;
  }
  const text = String(draft ?? '');
  if (setting.enum !== undefined) {
    const options = setting.enum.map((option) => ({ value: option, label: option }));
    const value = text || String(setting.default);
    return <SelectField {...common} value={value} options={options} onPick={onChange} />;
  }
  if (setting.type === 'object') {
    return <AreaField {...common} hint="One a line: Name: value" value={text} onText={onChange} />;
  }
  return (
    <TextField
      {...common}
      hint={mask === undefined ? common.hint : `Now ${mask}. Empty: it stays.`}
      type={setting.writeOnly ? 'password' : setting.type === 'number' ? 'number' : 'text'}
      step="any"
      autoComplete="off"
      required={isRequired && mask === undefined}
      placeholder={setting.default === undefined ? undefined : String(setting.default)}
      value={text}
      onText={onChange}
    />
  );
}

/** `apiKey` and `api_key` as "Api key". */
function labelOf(name: string): string {
  const words = name
    .replaceAll('_', ' ')
    .replaceAll(/(?<=[a-z])[A-Z]/g, ' $&')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What the API has for a setting. */
export type Present = string | number | boolean | Record<string, string> | null | undefined;

/** Returns a value of the API as the field's text. */
export function draftOf(value: Present): string | boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'object' || value === null) return String(value ?? '');
  return Object.entries(value)
    .map(([name, text]) => `${name}: ${text}`)
    .join('\n');
}

/** Returns the field's text as the API wants it; undefined if it is empty. */
export function valueOf({ type }: Setting, draft: string | boolean | undefined): unknown {
  if (typeof draft !== 'string') return draft;
  if (draft.trim() === '') return undefined;
  if (type === 'number') return Number(draft);
  if (type !== 'object') return draft.trim();
  const lines = draft.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) =>
      /^([^:]*):?(.*)$/
        .exec(line)!
        .slice(1)
        .map((part) => part.trim()),
    ),
  );
}
